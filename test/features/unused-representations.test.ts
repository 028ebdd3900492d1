import { App, type Class, Controller, Get, Produces } from 'blazon'
import { afterEach, expect, it, vi } from 'vitest'

const loaded = vi.hoisted(() => ({ names: [] as string[] }))

vi.mock('../../src/http/send/send-file.js', async (load) => {
  loaded.names.push('send-file')
  return await load<object>()
})
vi.mock('../../src/pipeline/steps/negotiate.js', async (load) => {
  loaded.names.push('negotiate')
  return await load<object>()
})

afterEach(() => {
  vi.resetModules()
  loaded.names.length = 0
})

class Plain {
  get() {
    return Buffer.from('bytes')
  }
}
Get()(Plain.prototype, 'get', describe(Plain))
Controller('x')(Plain)

class Produced {
  get() {
    return []
  }
}
Get()(Produced.prototype, 'get', describe(Produced))
Produces('text/csv')(Produced.prototype, 'get', describe(Produced))
Controller('x')(Produced)

function describe({ prototype }: { prototype: object }): TypedPropertyDescriptor<() => never> {
  return Object.getOwnPropertyDescriptor(prototype, 'get') as never
}

async function ask(controller: Class): Promise<{ steps: readonly string[] }> {
  const app = new App({ controllers: [controller], logger: false })
  const { port } = await app.listen(0, '127.0.0.1')
  await (await fetch(`http://127.0.0.1:${port}/x`)).text()
  await app.close()
  return { steps: loaded.names }
}

it('an application without files and representations loads no module for them', async () => {
  expect((await ask(Plain)).steps).toEqual([])
})

it('a route with @Produces loads the step that selects the representation', async () => {
  expect((await ask(Produced)).steps).toEqual(['negotiate'])
})
