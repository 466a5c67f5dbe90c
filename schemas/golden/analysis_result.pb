@08b3dd4ab0ac3f5de4d3b4f3de8a62f7a15bdc12c07b06d2ccfbcd2f3c8f2c14acme"report-2026-03-01*weekly-report2
step_limit:#!27,459 flights left JFK in March.:($5,713 of them were late. æ¼¢å­— ðŸ˜€B1
limit
STEP_LIMITround 1 reached its 12 stepsJèÈ" ô(<P¹`X`hpx€ˆ’	ÀÔÍèšÁÔÍ¢ÅÔÍÀ¤ˆ™ª
teamflights²anthropic/claudeº0.1.0