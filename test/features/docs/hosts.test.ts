import { request } from 'node:http'
import { expect, it } from 'vitest'
import { sampleDocument } from './sample-document.js'
import { serveDocs } from './serve-docs.js'

/** Sends a request with any host. Returns the ETag and the body. */
function get(origin: string, path: string, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request(`${origin}${path}`, { headers: { host } }, (res) => {
      let text = `${res.headers['etag']} `
      res.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      res.on('error', reject).on('end', () => resolve(text))
    })
    asked.on('error', reject).end()
  })
}

/** A document that counts how often it is read. */
function counted() {
  let reads = 0
  const document = new Proxy(sampleDocument, {
    get(target, name, receiver) {
      reads++
      return Reflect.get(target, name, receiver)
    },
  })
  return { document, reads: () => reads }
}

const FILES = {
  'the built-in page': ['?reference.css', '?icon.svg'],
  'swagger-ui': ['?init.js', '?docs.css'],
}

it.each(['the built-in page', 'swagger-ui'] as const)(
  '%s and its files are created once, with the same bytes for every host, path and query',
  async (kind) => {
    const { document, reads } = counted()
    const resolvePeer = kind === 'swagger-ui' ? {} : { resolvePeer: () => null }
    await using server = await serveDocs({
      documents: [{ path: '/api-docs', document: () => document }],
      isProduction: true,
      ...resolvePeer,
    })
    const same = [
      ['', '/', '?a=b', '?a?b/', '?__proto__', '?constructor', '?%E0'],
      ...FILES[kind].map((file) => [file, `${file}=`, `/${file}&a=b`]),
      ['.json', '?openapi.json', '/?openapi.json'],
      ['.yaml', '?openapi.yaml'],
    ]
    const asked = same.flatMap((ends) => ends.map((end) => [end, ends[0] as string] as const))
    const first = new Map<string, string>()
    for (const [end] of asked) {
      first.set(end, await get(server.origin, `/api-docs${end}`, 'first.test'))
    }
    const before = reads()
    expect(before).toBeGreaterThan(0)
    for (const [i, [end, like]] of asked.entries()) {
      const answer = await get(server.origin, `/API-docs${end}`, `h${i}.test:80"><script>`)
      expect(answer === first.get(like), end).toBe(true)
    }
    expect(reads()).toBe(before)
    expect(new Set(first.values()).size).toBe(same.length)
  },
)
