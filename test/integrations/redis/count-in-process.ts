import { once } from 'node:events'
import { redisLimits } from '../../../src/integrations/redis/index.js'
import { testContext } from './support.js'

const { COUNT_URL = '', COUNT_PREFIX = '' } = process.env
const limits = redisLimits({ url: COUNT_URL, prefix: COUNT_PREFIX, timeout: '10s' })
await limits.open?.(testContext().context)
console.log('ready')
await once(process.stdin, 'data')
const count = { key: 'processes', limit: 73, windowMs: 60_000 }
const results = await Promise.all(Array.from({ length: 100 }, () => limits.consume(count)))
console.log(results.filter(({ isAllowed }) => isAllowed).length)
await limits.close?.()
process.exit()
