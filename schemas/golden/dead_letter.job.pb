@5ed37aec9012c1d340a44fa4a6e0f1d6266a5f095bb95ae5e2c2ad5e905a9d35:ATTEMPTS_EXHAUSTEDJ1each of 3 attempts ended in a crash of its workerbthe jobj$
content-typeapplication/protobufracmezj-1‚c-1ˆ’l
€µ
9
7{"type":"human","data":{"content":"How many flights?"}}'message 7/0/1.0: unknown schema version