import { App, Body, Controller, Post, Put, type Req, type Request } from 'blazon'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { emitClient } from '../../src/cli/client/emit-client.js'
import { type AnyClient, importClient } from './import-client.js'

const Order = z.object({ item: z.string(), count: z.coerce.number() })

@Controller('bodies')
class BodiesController {
  @Post('form')
  @Body(Order, { type: 'form' })
  form(req: Req<{ body: typeof Order }>) {
    return req.body
  }

  @Post('text')
  @Body({ type: 'text' })
  text(req: Request) {
    return { text: req.body }
  }

  @Put('bytes')
  @Body({ type: 'bytes', contentType: 'image/*' })
  bytes(req: Req<{ body: { type: 'bytes' } }>) {
    return { hex: req.body.toString('hex'), type: req.get('content-type') }
  }

  @Post('many')
  @Body(Order)
  @Body(Order, { type: 'form' })
  @Body({ type: 'text', contentType: 'text/csv' })
  many(req: Request) {
    return { got: req.body, type: req.get('content-type') }
  }
}

const app = new App({ controllers: [BodiesController], logger: false })
let bodies: AnyClient[string] = {}
let text: string

beforeAll(async () => {
  const { port } = await app.listen(0, { host: '127.0.0.1', announce: false })
  text = emitClient(app.document)
  const { createClient } = await importClient('bodies', text)
  bodies = createClient({ baseUrl: `http://127.0.0.1:${port}` })['bodies'] as AnyClient[string]
})
afterAll(() => app.close())

const send = async (name: string, input: object) => {
  const method = bodies[name]
  if (method === undefined) throw new Error(`The client has no ${name}`)
  return await method(input)
}

it('a client sends a form from an object or from URLSearchParams', async () => {
  const order = { item: 'a b', count: 2 }
  const params = new URLSearchParams({ item: 'a b', count: '2' })
  for (const body of [order, params]) {
    expect(await send('form', { body })).toMatchObject({ ok: true, data: order })
  }
})

it('a client sends strings and bytes', async () => {
  expect((await send('text', { body: 'häl' })).data).toEqual({ text: 'häl' })
  const body = new Uint8Array([1, 255])
  const sent = await send('bytes', { body, contentType: 'image/png' })
  expect(sent.data).toEqual({ hex: '01ff', type: 'image/png' })
})

it('a client sends the media type that the call passes, or JSON by default', async () => {
  const body = { item: 'a', count: 2 }
  const form = 'application/x-www-form-urlencoded'
  const csv = 'text/csv'
  expect((await send('many', { body })).data).toEqual({ got: body, type: 'application/json' })
  const asForm = await send('many', { body, contentType: form })
  expect(asForm.data).toEqual({ got: body, type: form })
  const asText = await send('many', { body: 'a,2', contentType: csv })
  expect(asText.data).toEqual({ got: 'a,2', type: csv })
})

it('the input types of a client contain the media type only if the caller can choose it', () => {
  const typeOf = (id: string) =>
    new RegExp(`  ${id}: \\{\\n    input: ([\\s\\S]*?);\\n    result`).exec(text)?.[1]
  expect(typeOf('Bodies_form')).toContain('| URLSearchParams')
  expect(typeOf('Bodies_form')).not.toContain('contentType')
  expect(typeOf('Bodies_text')).toContain('body: string;')
  expect(typeOf('Bodies_bytes')).toContain('contentType: string')
  expect(typeOf('Bodies_many')).toContain('contentType?: "application/json" | undefined')
  expect(typeOf('Bodies_many')).toContain('{ body: string; contentType: "text/csv" }')
})
