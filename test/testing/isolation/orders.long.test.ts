import type { User } from 'blazon'
import { type IsolationReport, TestApp } from 'blazon/testing'
import { expect, it } from 'vitest'
import { options as orders } from '../../../examples/orders/app.js'
import { demoToken } from '../../../examples/orders/demo-token.js'
import { database } from '../../../examples/orders/stores.js'
import { startPgliteFromTemplate } from '../../pglite-template.js'

startPgliteFromTemplate()

const options = {
  ...orders,
  plugins: [database({ DATABASE_FOLDER: 'memory' })],
  rateLimit: false,
}

const clerkOf = (_shop: string, id: string): User => ({
  id,
  permissions: ['customers:write', 'orders:write'],
})

/** The operations that are not proved. The feed sends no order that was placed before. */
const notProved = ({ verdicts }: IsolationReport) =>
  verdicts.filter(({ verdict }) => verdict !== 'PASS').map(({ operation }) => operation)

it('proveIsolation() finds no leak between three shops of the orders example', async () => {
  await using app = await TestApp.create(options)
  const tenants = ['aurora', 'borealis', 'corona']
  const report = await app.proveIsolation({ seed: 1, rounds: 1, tenants, as: clerkOf })
  expect(report.tenants).toEqual(tenants)
  expect(report.leaks).toEqual([])
  expect(report.verdicts).toHaveLength(14)
  expect(notProved(report)).toEqual(['GET /orders/feed'])
})

it("proveIsolation() calls the application's guard with the tokens of its callers", async () => {
  await using app = await TestApp.create(options)
  const caller = (user: 'clerk' | 'baker') =>
    app.with({ authorization: `Bearer ${demoToken(user)}` })
  const tenants = { first: caller('clerk'), second: caller('baker') }
  const report = await app.proveIsolation({ seed: 1, rounds: 1, tenants })
  expect(report.tenants).toEqual(['first', 'second'])
  expect(report.leaks).toEqual([])
  expect(report.verdicts).toHaveLength(14)
  // The export has no text that a client has written; with `as`, the name of the caller shows whose orders they are.
  const exports = [1, 2].map((version) => `GET /orders/export (version ${version})`)
  expect(notProved(report)).toEqual([...exports, 'GET /orders/feed'])
})

it('proveIsolation() fails if every request is refused', async () => {
  await using app = await TestApp.create(options)
  await expect(app.proveIsolation({ seed: 1, rounds: 1 })).rejects.toThrow(
    'proveIsolation() did not test POST /orders (Orders_place): every request was refused, with 401.',
  )
})
