import { App, Controller, Get } from 'blazon'
import { expect, it, vi } from 'vitest'

const loaded = vi.hoisted(() => ({ names: [] as string[] }))

vi.mock('../../src/features/records/records-plugin.js', async (load) => {
  loaded.names.push('records-plugin')
  return await load<object>()
})
vi.mock('../../src/app/dev/report-records.js', async (load) => {
  loaded.names.push('report-records')
  return await load<object>()
})
vi.mock('../../src/features/capsules/capsule-writer.js', async (load) => {
  loaded.names.push('capsule-writer')
  return await load<object>()
})
vi.mock('../../src/features/capsules/received-bodies.js', async (load) => {
  loaded.names.push('received-bodies')
  return await load<object>()
})

class Rows {
  get() {
    return [1]
  }
}
Get()(Rows.prototype, 'get', Object.getOwnPropertyDescriptor(Rows.prototype, 'get') as never)
Controller('x')(Rows)

async function ask(options: { records?: { keep: number; capsules?: boolean } }): Promise<number> {
  const app = new App({ controllers: [Rows], logger: false, ...options })
  const { port } = await app.listen(0, '127.0.0.1')
  const { status } = await fetch(`http://127.0.0.1:${port}/x`)
  await app.close()
  return status
}

it('an application loads modules for records and capsules only with their options, without blazon dev', async () => {
  expect(await ask({})).toBe(200)
  expect(loaded.names).toEqual([])
  expect(await ask({ records: { keep: 1 } })).toBe(200)
  expect(loaded.names.sort()).toEqual(['records-plugin'])
  expect(await ask({ records: { keep: 1, capsules: true } })).toBe(200)
  expect(loaded.names.sort()).toEqual(['capsule-writer', 'received-bodies', 'records-plugin'])
})
