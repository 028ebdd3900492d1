import { createHash } from 'node:crypto'
import { Body, Controller, defineControllers, type Middleware, Post, type Request } from 'blazon'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { appsOfTest, send } from './support.js'

@Controller('hooks')
class HooksController {
  @Post()
  @Body(z.object({ text: z.string() }))
  receive({ body }: Request) {
    return body
  }

  @Post('plain')
  plain({ body }: Request) {
    return body
  }
}

const controllers = defineControllers(HooksController)
const headers = { 'content-type': 'application/json' }
const bodyOf = (length: number) => JSON.stringify({ text: 'x'.repeat(length) })
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

/** How a middleware reads the bytes of a body, for example to check the signature of a webhook. */
const WAYS: Record<string, (note: (hash: string) => void) => Middleware> = {
  'a `data` listener': (note) => (req, _res, next) => {
    const hash = createHash('sha256')
    req.on('data', (chunk: Buffer) => hash.update(chunk))
    req.on('end', () => note(hash.digest('hex')))
    next()
  },
  'a prepended `data` listener': (note) => (req, _res, next) => {
    const hash = createHash('sha256')
    req.prependListener('data', (chunk: Buffer) => hash.update(chunk))
    req.prependListener('end', () => note(hash.digest('hex')))
    next()
  },
}

describe.each(Object.entries(WAYS))('a middleware with %s', (_, listening) => {
  const apps = appsOfTest()

  it.each([
    ['a route with a schema', '/hooks'],
    ['a route without a schema', '/hooks/plain'],
  ])(
    'reads all bytes of a JSON body of any length, and so does the route: %s',
    async (_name, path) => {
      const hashes: string[] = []
      const middlewares = [listening((hash) => hashes.push(hash))]
      const { port } = await apps.listening({ controllers, middlewares })
      const bodies = [bodyOf(1), bodyOf(90_000), bodyOf(1)]
      for (const body of bodies) {
        const { status, text } = await send(port, { method: 'POST', path, headers, body })
        expect(status, text).toBe(200)
        expect(JSON.parse(text).data).toEqual(JSON.parse(body))
      }
      expect(hashes).toEqual(bodies.map(hashOf))
    },
  )
})
