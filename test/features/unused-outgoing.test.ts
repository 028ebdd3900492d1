import { App, Controller, Get, inject, Outgoing } from 'blazon'
import { expect, it, vi } from 'vitest'

const loaded = vi.hoisted(() => ({ names: [] as string[] }))

vi.mock('../../src/features/outgoing/caller.js', async (load) => {
  loaded.names.push('caller')
  return await load<object>()
})
vi.mock('../../src/features/outgoing/call.js', async (load) => {
  loaded.names.push('call')
  return await load<object>()
})

class Rows {
  get() {
    return [1]
  }
}
Get()(Rows.prototype, 'get', Object.getOwnPropertyDescriptor(Rows.prototype, 'get') as never)
Controller('x')(Rows)

class Bank {
  readonly outgoing = inject(Outgoing)
}

it('only an application that injects `Outgoing` loads the modules for it', async () => {
  const unused = await App.create({ controllers: [Rows], logger: false })
  await unused.close()
  expect(loaded.names).toEqual([])
  const used = await App.create({ controllers: [Rows], providers: [Bank], logger: false })
  await used.close()
  expect(loaded.names.sort()).toEqual(['call', 'caller'])
})
