acmereport-2026-03-01"weekly-report*u-172#How many flights left JFK in March?2/Und wie viele davon waren zu sp√§t? Êº¢Â≠ó üòÄ:sql-analysisBanalystJclaudeRquery_databaseRfile_readerZ¿ö‡∆[ ¿œ$bhighj
	dashboardops/7j
teamflightsr	¿‘êÕËzP
700-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01vendor=1e-1"corr-1Ç–{"type":"object","properties":{"why":{"type":"string"},"flights":{"type":"integer","minimum":0},"delay":{"type":["number","null"],"multipleOf":0.50}},"required":["why","flights"],"additionalProperties":false}