import { ApiResponseDoc, App, type Class, Controller, Get } from 'blazon'
import { expect, it, vi } from 'vitest'

const loaded = vi.hoisted(() => ({ names: [] as string[] }))

vi.mock('../../src/pipeline/visibility/compile-visibility.js', async (load) => {
  loaded.names.push('compile-visibility')
  return await load<object>()
})
vi.mock('../../src/pipeline/visibility/visibility-stages.js', async (load) => {
  loaded.names.push('visibility-steps')
  return await load<object>()
})

/** A controller whose only response has a field with these keywords. */
function controllerOf(keywords: object): Class {
  class Rows {
    get() {
      return { pay: 1 }
    }
  }
  const schema = { type: 'object', properties: { pay: { type: 'integer', ...keywords } } }
  const method = Object.getOwnPropertyDescriptor(Rows.prototype, 'get') as never
  Get()(Rows.prototype, 'get', method)
  ApiResponseDoc({ status: 200, schema } as never)(Rows.prototype, 'get', method)
  Controller('x')(Rows)
  return Rows
}

async function ask(controller: Class): Promise<unknown> {
  const app = new App({ controllers: [controller], logger: false, envelope: false })
  const { port } = await app.listen(0, '127.0.0.1')
  const body = await (await fetch(`http://127.0.0.1:${port}/x`)).json()
  await app.close()
  return body
}

it('only an application with visibility marks loads the modules for them', async () => {
  expect(await ask(controllerOf({}))).toEqual({ pay: 1 })
  expect(loaded.names).toEqual([])
  expect(await ask(controllerOf({ visibleTo: 'pay' }))).toEqual({})
  expect(loaded.names.sort()).toEqual(['compile-visibility', 'visibility-steps'])
})
