acmereport-2026-03-01"weekly-report*tool_call_finished08@HRquery_databaseZ	succeededb query_database: 12 rows in 17 msjèÈ" ô(<r
ÃÔÍ¡