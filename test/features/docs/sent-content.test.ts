import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createContent, sendContent } from '../../../src/features/docs/docs-page.js'
import { referencePage } from '../../../src/features/docs/open-page.js'
import { versionLinks } from '../../../src/features/docs/page-parts.js'
import { sampleDocument } from './sample-document.js'
import { serveDocs } from './serve-docs.js'

describe('a file of the documentation', () => {
  it('is compressed from 1,024 bytes on, if the client accepts gzip', async () => {
    const app = express().get('/:length', (req, res, next) => {
      const content = createContent('text/plain', 'x'.repeat(Number(req.params['length'])))
      sendContent([req, res] as never, content, { 'X-Own': '1' }).catch(next)
    })
    const server = createServer(app).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const ask = async (length: number, accept: string) => {
      const headers = { 'Accept-Encoding': accept, Connection: 'close' }
      const response = await fetch(`http://127.0.0.1:${port}/${length}`, { headers })
      expect(await response.text()).toHaveLength(length)
      expect(response.headers.get('x-own')).toBe('1')
      expect(response.headers.get('content-type')).toMatch(/^text\/plain/)
      const { headers: got } = response
      return [got.get('content-encoding'), got.get('vary'), got.get('etag')?.endsWith('-gzip"')]
    }
    expect(await ask(1023, 'gzip')).toEqual([null, null, false])
    expect(await ask(1024, 'gzip')).toEqual(['gzip', 'Accept-Encoding', true])
    expect(await ask(1024, 'gzip;q=0, *')).toEqual([null, 'Accept-Encoding', false])
    expect(await ask(1024, 'br')).toEqual([null, 'Accept-Encoding', false])
  })
})

describe('the links between the pages of versions', () => {
  const versions = ['1', '2', '3'].map((name) => ({ name, path: `/docs/v${name}` }))

  it.each([
    ['/docs/v2', '/docs/v2'],
    ['/docs', '/docs'],
    ['/a/b/c', '/a/b/c'],
    ['/', '/'],
  ])('lead to the other pages, under any prefix, from %s', (path, at) => {
    const { text } = versionLinks({ path, versions })
    const links = [...text.matchAll(/href="([^"]+)">([^<]+)</g)].map(([, href = '', name]) => [
      name,
      new URL(href, `http://a.test/prefix${at}`).pathname,
    ])
    expect(links).toEqual(
      versions
        .filter((version) => version.path !== path)
        .map((version) => [version.name, `/prefix${version.path}`]),
    )
    const current = path === '/docs/v2' ? '<strong aria-current="page">2</strong>' : ''
    expect(/<strong.*<\/strong>/.exec(text)?.[0] ?? '').toBe(current)
  })

  it('are on both kinds of pages, but not without versions', async () => {
    const source = { path: '/docs/v1', document: () => sampleDocument }
    const label = 'aria-label="Versions"'
    const pageOf = async (resolvePeer: object, more: object) => {
      const documents = [{ ...source, ...more }]
      await using server = await serveDocs({ documents, isProduction: false, ...resolvePeer })
      return await (await fetch(`${server.origin}/docs/v1`)).text()
    }
    for (const peer of [{}, { resolvePeer: () => null }]) {
      expect(await pageOf(peer, { versions })).toContain(label)
      expect(await pageOf(peer, {})).not.toContain(label)
      expect(await pageOf(peer, { versions: [] })).not.toContain(label)
    }
  })
})

it('the built-in page shows every part of an operation once', () => {
  const document = {
    ...sampleDocument,
    info: {
      ...{ title: 'Shop', version: '7', description: 'About it.' },
      ...{ contact: { name: 'Ada', email: 'a@b.test' }, license: { name: 'MIT' } },
      termsOfService: 'https://terms.test',
    },
    servers: [{ url: 'HTTPS://api.test', description: 'Ours' }],
    tags: [{ name: 'X', description: 'Of X.' }, { name: 'unused' }],
    paths: {
      '/a': {
        get: {
          ...{ operationId: 'a', summary: 'Sum', description: 'Desc', deprecated: true },
          tags: ['X', 'Y'],
          parameters: [
            {
              ...{ name: 'p', in: 'query', description: 'Same', deprecated: true },
              schema: { type: 'string', description: 'Same' },
            },
            {
              ...{ name: 'q', in: 'path', required: true, description: 'Outer' },
              schema: { type: 'string', description: 'Inner' },
            },
          ],
          requestBody: {
            description: 'The body',
            content: { 'text/plain': { schema: { type: 'string' } } },
          },
          responses: {
            200: { description: 'OK', headers: { 'X-A': { $ref: '#/components/headers/A' } } },
            404: { $ref: '#/components/responses/N' },
          },
        },
      },
    },
    components: {
      headers: { A: { description: 'How many.', schema: { type: 'integer' } } },
      responses: { N: { description: 'None' } },
    },
  }
  const page = referencePage(document as never).page.bytes.toString()
  const text = page
    .slice(page.indexOf('<nav'))
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  expect(text).toBe(
    [
      'X GET Sum Shop 7 About it. Ada · a@b.test · MIT · https://terms.test OpenAPI as JSON as YAML',
      'To send requests from this page, install its interactive version: npm install swagger-ui-dist',
      'Servers HTTPS://api.test Ours X Of X. GET /a Sum Desc deprecated',
      'Parameters p string query, deprecated Same q string path, required Outer Inner',
      'Body The body text/plain string Responses 200 OK Headers X-A A 404 N',
      'Responses N None Headers A How many. integer',
    ].join(' '),
  )
})
