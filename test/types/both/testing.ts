// The test harness.
import {
  type App,
  defineAppOptions,
  defineControllers,
  InjectionToken,
  type RouteTableEntry,
} from 'blazon'
import {
  type AuthMatrix,
  ContractCoverage,
  type ContractViolation,
  TestApp,
  type TestCaller,
  type TestOptions,
} from 'blazon/testing'
import type supertest from 'supertest'
import type TestAgent from 'supertest/lib/agent.js'
import type { Equal, Expect } from '../expect.js'

const Port = new InjectionToken<number>('Port')

export async function test() {
  const bare = await TestApp.create()
  const app = await TestApp.create(
    defineAppOptions({
      controllers: defineControllers(),
      security: { helmet: true },
      testOverrides: [{ token: Port, useValue: 1 }],
    }),
  )
  const isApp: App = app
  const agent: TestAgent = app.request()
  const response = await app.request().post('/').send({ a: 1 }).set('x-a', 'b').expect(201)
  const typed: supertest.Response = response
  const table: RouteTableEntry[] = app.getRouteTable()
  const chained: TestApp = app.withAuth('token').withHeaders({ 'x-a': 'b' }).clearHeaders()
  const port = app.get(Port)
  type _Port = Expect<Equal<typeof port, number>>
  const closed: Promise<void> = app.close()
  // @ts-expect-error a token is a string
  app.withAuth(1)
  // @ts-expect-error a header is a string
  app.withHeaders({ 'x-a': 1 })
  // @ts-expect-error the constructor is private; create() makes a TestApp
  new TestApp({})
  const options: TestOptions = { contract: 'throw', coverage: { threshold: { statuses: 90 } } }
  const declared = defineAppOptions({ controllers: defineControllers() })
  await using shared = await TestApp.create({ ...declared, coverage: new ContractCoverage() })
  const caller: TestCaller = shared.as({ id: 7 }).asTenant('a').with({ 'x-a': 'b' })
  const fetched: Response = await caller.fetch(new URL('http://in-process/'), { method: 'POST' })
  const anyFetch: typeof globalThis.fetch = shared.fetch
  const matrix: AuthMatrix = await shared.authMatrix({ anonymous: null, user: { id: 1 }, caller })
  const found: readonly ContractViolation[] = shared.contractReport()
  // @ts-expect-error `contract` is not one of the known words
  await TestApp.create({ contract: 'loud' })
  // @ts-expect-error overrides is not public
  app.overrides()
  // @ts-expect-error `contract` is an option of TestApp, not of App
  defineAppOptions({ contract: 'throw' })
  // @ts-expect-error options are checked
  await TestApp.create({ controlers: [] })
  return [
    bare,
    isApp,
    agent,
    typed.status,
    response.body,
    table,
    chained,
    closed,
    options,
    fetched,
    anyFetch,
    matrix,
    found,
  ]
}
