// Exported values without a written type: `test/house/emitted-types.test.ts` reads their declarations.
import {
  App,
  Auth,
  CacheManager,
  Clock,
  compose,
  cursor,
  defineOption,
  defineParameter,
  env,
  file,
  Get,
  Health,
  memoryCache,
  memoryRateLimit,
  page,
  policy,
  stripeWebhooks,
  tenantFromPath,
} from 'blazon'
import { apiKeys, generateApiKey } from 'blazon/keys'
import { postgres, postgresSessions } from 'blazon/postgres'
import { redisCache, redisIdempotency, redisLimits, redisSessions } from 'blazon/redis'
import { memorySessions, sessions } from 'blazon/sessions'
import { z } from 'zod'

const Item = z.object({ id: z.number(), name: z.string() })

export const Audit = defineOption<{ readonly action: string }>('Audit')
export const Internal = defineOption<true, 'method'>('Internal', { on: 'method' })
export const Ip = defineParameter((req) => req.ip ?? '')
export const Read = compose(Auth(), Get())
export const inPages = page(Item)
export const inOrder = cursor(Item, { order: ['id'] })
export const notes = policy('note', { read: () => true })
export const picture = file({ maxSize: '1mb' })
export const environment = env(z.object({ PORT: z.string() }))
export const fromPath = tenantFromPath('tenant')
export const payments = stripeWebhooks('whsec_x')
export const stores = [memoryCache(), redisCache()]
export const limits = [memoryRateLimit(), redisLimits()]
export const keepers = [memorySessions, redisSessions(), postgresSessions]
export const repeats = redisIdempotency()
export const plugins = [postgres({ url: 'postgres://localhost' })]
export const guards = {
  sessions,
  keys: apiKeys({ prefix: 'acme', find: async () => null }),
  generateApiKey,
}
export const app = new App({ controllers: [] })
export const parts = {
  document: app.document,
  clock: app.get(Clock).setTimeout,
  cache: app.get(CacheManager),
  health: app.get(Health).check,
}
