// Nothing but our own doors, so that every declaration file behind them is checked and no other library's.
export * from 'blazon'
export * from 'blazon/redis'
export * from 'blazon/testing'
export * from 'blazon/typeorm'
export * from 'blazon/vite'
