acmereport-2026-03-01"weekly-report*u-172#How many flights left JFK in March?2/Und wie viele davon waren zu spÃ¤t? æ¼¢å­— ğŸ˜€:sql-analysisBanalystJclaudeRquery_databaseRfile_readerZÀšàÆ[ ÀÏ$bhighj
	dashboardops/7j
teamflightsr	ÀÔÍèzP
700-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01vendor=1e-1"corr-1