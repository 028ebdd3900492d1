import type {
  AppOptions,
  AuthOptions,
  CacheOptions,
  ErrorOptions,
  HealthOptions,
  LimitOptions,
  RateLimitOptions,
  ResponseOptions,
  SecurityOptions,
  SwaggerOptions,
  TenantOptions,
  TimeoutOptions,
  ValidationOptions,
} from 'blazon'
import { describe, expect, it } from 'vitest'
import { withTables } from '../../scripts/options-tables.js'
import { bootWarnings } from '../support.js'
import { read } from './markdown.js'

/** Names of options as the compiler knows them: a name that is missing or surplus here does not compile. */
const NESTED = {
  auth: { guard: 1, guards: 1, default: 1, can: 1, credentials: 1 } satisfies Names<AuthOptions>,
  security: { helmet: 1, cors: 1 } satisfies Names<SecurityOptions>,
  tenant: {
    header: 1,
    jwtClaim: 1,
    strategies: 1,
    pattern: 1,
    onMismatch: 1,
    store: 1,
    positiveTtl: 1,
    negativeTtl: 1,
    required: 1,
    authorize: 1,
  } satisfies Names<TenantOptions>,
  swagger: {
    openapi: 1,
    enabled: 1,
    path: 1,
    title: 1,
    version: 1,
    description: 1,
    termsOfService: 1,
    contact: 1,
    license: 1,
    servers: 1,
    tags: 1,
    audience: 1,
    include: 1,
    converters: 1,
  } satisfies Names<SwaggerOptions>,
  cache: { store: 1, defaultTtl: 1, headers: 1 } satisfies Names<CacheOptions>,
  rateLimit: {
    limit: 1,
    window: 1,
    by: 1,
    name: 1,
    policies: 1,
    store: 1,
  } satisfies Names<RateLimitOptions>,
  validation: { messages: 1 } satisfies Names<ValidationOptions>,
  errors: { format: 1, schema: 1, mediaType: 1, status: 1 } satisfies Names<ErrorOptions>,
  responses: { fields: 1, documented: 1 } satisfies Names<ResponseOptions>,
  health: { guard: 1, checks: 1, paths: 1 } satisfies Names<HealthOptions>,
  limits: { body: 1, depth: 1, headers: 1 } satisfies Names<LimitOptions>,
  timeouts: {
    handler: 1,
    headers: 1,
    request: 1,
    response: 1,
    keepAlive: 1,
    close: 1,
    preStop: 1,
    onClose: 1,
  } satisfies Names<TimeoutOptions>,
}
type Names<T> = Record<keyof T, 1>

const documented = [...read('docs/configuration.md').matchAll(/^\| `([a-zA-Z.]+)` *\|/gm)].map(
  ([, name]) => name as string,
)

/** What the application itself says its options are, when it is given another one. */
async function optionNames(): Promise<string[]> {
  const [warning] = await bootWarnings({ nonsense: 1 } as AppOptions)
  const list = /The valid options are: (.*)\.$/.exec(warning?.text ?? '')?.[1]
  return list?.split(', ') ?? []
}

describe('docs/configuration.md', () => {
  it('contains the tables that are generated from the docstrings of the options', () => {
    const page = read('docs/configuration.md')
    expect(page, 'run `npm run documents`').toBe(withTables(page))
  })

  it('is restored if its tables are generated again after a change', () => {
    const page = read('docs/configuration.md')
    expect(withTables(page.replace('`limits.depth`', '`limits.deep`'))).toBe(page)
  })

  it('describes exactly the options of an application', async () => {
    const names = await optionNames()
    const methods = ['handler', 'express', 'server']
    const topLevel = documented.filter((name) => !name.includes('.') && !methods.includes(name))
    expect(topLevel.sort()).toEqual(names.sort())
  })

  it.each(Object.entries(NESTED))('describes exactly the options of %s', (group, names) => {
    const described = documented.filter((name) => name.startsWith(`${group}.`))
    const expected = Object.keys(names).map((name) => `${group}.${name}`)
    expect(described.sort()).toEqual(expected.sort())
  })
})
