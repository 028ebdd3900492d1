import { request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { PageTemplate } from '../../../src/features/docs/page-template.js'
import { referencePage } from '../../../src/features/docs/reference-page.js'
import { sampleDocument } from './sample-document.js'
import { serveDocs } from './serve-docs.js'

interface Answer {
  readonly headers: NodeJS.Dict<string | string[]>
  readonly text: string
}

function get(origin: string, path: string, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(`${origin}${path}`, { headers }, (res) => {
      const chunks: Buffer[] = []
      res.on('data', (chunk: Buffer) => chunks.push(chunk))
      res.on('error', reject)
      res.on('end', () => {
        const bytes = Buffer.concat(chunks)
        const isGzipped = res.headers['content-encoding'] === 'gzip'
        resolve({ headers: res.headers, text: String(isGzipped ? gunzipSync(bytes) : bytes) })
      })
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

const LONG = 'A sentence that makes the page long enough to be compressed. '.repeat(50)

it.each([null, undefined])(
  'renders a page once, for requests with any host (peer: %s)',
  async (peer) => {
    const { document, reads } = counted()
    const resolvePeer = peer === null ? { resolvePeer: () => null } : {}
    await using server = await serveDocs({
      documents: [{ path: '/api-docs', document: () => document }],
      isProduction: true,
      ...resolvePeer,
    })
    for (const path of ['/api-docs', '/api-docs.json', '/api-docs.yaml', '/api-docs/']) {
      await get(server.origin, path, { host: 'first.test' })
    }
    const before = reads()
    expect(before).toBeGreaterThan(0)
    for (let i = 0; i < 400; i++) {
      const path = ['/api-docs', '/api-docs.json', '/api-docs.yaml', '/API-docs/'][i % 4] as string
      await get(server.origin, path, { host: `h${i}.test` })
    }
    expect(reads()).toBe(before)
  },
)

it('creates a page and an ETag for each host, and compresses only the stored pages', async () => {
  const info = { ...sampleDocument.info, description: LONG }
  await using server = await serveDocs({
    documents: [{ path: '/api-docs', document: () => ({ ...sampleDocument, info }) }],
    isProduction: true,
    resolvePeer: () => null,
  })
  const ask = (host: string, more = {}) =>
    get(server.origin, '/api-docs', { host, 'accept-encoding': 'gzip', ...more })
  const tags = new Set<unknown>()
  const encodings: unknown[] = []
  for (let i = 0; i < 50; i++) {
    const { headers, text } = await ask(`h${i}.test`)
    expect(text).toContain(`http://h${i}.test/orders`)
    expect(text).not.toContain(`http://h${i + 1}.test`)
    tags.add(headers['etag'])
    encodings.push(headers['content-encoding'])
  }
  expect(tags.size).toBe(50)
  expect(encodings.filter((encoding) => encoding === 'gzip')).toHaveLength(4)
  // The page that was stored first is still stored.
  expect((await ask('h0.test')).headers['content-encoding']).toBe('gzip')
  const other = await ask('h40.test')
  expect((await ask('h40.test', { 'if-none-match': String(other.headers['etag']) })).text).toBe('')
})

it('removes a page only if it was not requested for a long time', () => {
  const info = { ...sampleDocument.info, description: LONG }
  const page = referencePage({ path: '/x', document: () => ({ ...sampleDocument, info }) })
  const template = new PageTemplate(page, (name) => name)
  const isKept = (host: string) =>
    template.at({ folder: './', url: `http://${host}/x` }).gzipped !== null
  expect(['a', 'b', 'c', 'd', 'e'].map(isKept)).toEqual([true, true, true, true, false])
  for (let i = 0; i < 990; i++) isKept(`h${i}`)
  for (const host of ['a', 'b', 'c']) expect(isKept(host)).toBe(true)
  for (let i = 0; i < 6; i++) isKept(`h${i}`)
  expect(['e', 'f', 'a', 'd'].map(isKept)).toEqual([true, false, true, false])
})
