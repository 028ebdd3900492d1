import { Body, Controller, defineControllers, type Middleware, Post, type Request } from 'blazon'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { appsOfTest, send } from './support.js'

@Controller('notes')
class NotesController {
  @Post()
  @Body(z.object({ text: z.string() }))
  add({ body }: Request) {
    return body
  }
}

const headers = { 'content-type': 'application/json' }

describe('a request body after a middleware has called req.setEncoding()', () => {
  const apps = appsOfTest()

  it.each<[string, BufferEncoding]>([
    ['short', 'utf8'],
    ['short', 'latin1'],
    ['short', 'base64'],
    ['long', 'utf8'],
    ['long', 'base64'],
  ])('is parsed correctly: %s, %s', async (size, encoding) => {
    const middleware: Middleware = (req, _res, next) => next(void req.setEncoding(encoding))
    const { port } = await apps.listening({
      controllers: defineControllers(NotesController),
      middlewares: [middleware],
    })
    const note = { text: size === 'short' ? 'größer' : 'ö'.repeat(20_000) }
    for (let i = 0; i < 2; i++) {
      const message = { method: 'POST', path: '/notes', headers, body: JSON.stringify(note) }
      const { status, text } = await send(port, message)
      expect(status, text.slice(0, 200)).toBe(200)
      expect(JSON.parse(text).data).toEqual(note)
    }
  })
})
