@5f3c6a0c4b1f7f0a3b6a9c0d1e2f30415263748596a7b8c9dae0f1a2b3c4d5e6ba.jobs (*0û””ÊÊ3:BAD_UTF8Bmessages[0]Jbyte 1 is not valid UTF-8PZweekly-reportb{"messages":["aÿ"]}j 
content-typeapplication/jsonracmezweekly-2026-03‚weekly-reportˆ’l
€µ
9
7{"type":"human","data":{"content":"How many flights?"}}'message 7/0/1.0: unknown schema version