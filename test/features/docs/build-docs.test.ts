import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import helmet from 'helmet'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { OpenApiDocument } from '../../../src/contracts/openapi.js'
import { buildDocs, type DocsConfig } from '../../../src/features/docs/build-docs.js'
import { sampleDocument } from './sample-document.js'
import { serveDocs } from './serve-docs.js'

const orders = { path: '/api-docs', document: () => sampleDocument }
const development: DocsConfig = { documents: [orders], isProduction: false }
const builtIn: DocsConfig = { ...development, resolvePeer: () => null }

function withServers(...urls: string[]): DocsConfig {
  const document: OpenApiDocument = { ...sampleDocument, servers: urls.map((url) => ({ url })) }
  return { ...development, documents: [{ ...orders, document: () => document }] }
}

/** The URLs in `src` and `href` of a page, resolved as in a browser. */
function loadedFrom(page: string, url: string): string[] {
  const files = [...page.matchAll(/<(?:script|link)[^>]+(?:src|href)="([^"]+)"/g)]
  return files.map(([, file]) => new URL(file as string, url).href)
}

describe('the served document', () => {
  it('is indented JSON in development', async () => {
    await using server = await serveDocs(development)
    const response = await fetch(`${server.origin}/api-docs.json`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-cache')
    expect(await response.text()).toBe(`${JSON.stringify(sampleDocument, null, 2)}\n`)
  })

  it('is compact JSON in production', async () => {
    await using server = await serveDocs({ ...development, isProduction: true })
    const response = await fetch(`${server.origin}/api-docs.json`)
    expect(await response.text()).toBe(`${JSON.stringify(sampleDocument)}\n`)
  })

  it('is available as YAML with the same content', async () => {
    await using server = await serveDocs(development)
    const response = await fetch(`${server.origin}/api-docs.yaml`)
    expect(response.headers.get('content-type')).toBe('application/yaml; charset=utf-8')
    const text = await response.text()
    expect(parse(text)).toEqual(JSON.parse(JSON.stringify(sampleDocument)))
    expect(text).not.toMatch(/[&*]a\d/)
  })

  it('has quotes in YAML around strings that YAML 1.1 reads as other types', async () => {
    const info = { title: 'no', version: '1:30' }
    const document = () => ({ ...sampleDocument, info })
    await using server = await serveDocs({
      ...development,
      documents: [{ ...orders, document }],
    })
    const text = await (await fetch(`${server.origin}/api-docs.yaml`)).text()
    expect(text).toMatch(/title: ["']no["']/)
    expect(text).toMatch(/version: ["']1:30["']/)
  })

  it.each(['/api-docs.json', '/api-docs.yaml', '/api-docs'])(
    'causes a 304 response if the client sends the ETag of %s',
    async (path) => {
      await using server = await serveDocs(development)
      const first = await fetch(server.origin + path)
      const etag = first.headers.get('etag') as string
      expect(etag).toMatch(/^"[\w-]+"$/)
      // Otherwise Node's fetch sends `no-cache`, and the server never responds with 304.
      const headers = { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' }
      const second = await fetch(server.origin + path, { headers })
      expect(second.status).toBe(304)
      expect(await second.text()).toBe('')
      const changed = await fetch(server.origin + path, { headers: { 'If-None-Match': '"x"' } })
      expect(changed.status).toBe(200)
    },
  )

  it('is compressed for clients that accept gzip, with a separate ETag', async () => {
    await using server = await serveDocs(development)
    const url = `${server.origin}/api-docs.json`
    const gzipped = await fetch(url, { headers: { 'Accept-Encoding': 'gzip' } })
    const plain = await fetch(url, { headers: { 'Accept-Encoding': 'identity' } })
    expect(gzipped.headers.get('content-encoding')).toBe('gzip')
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(gzipped.headers.get('etag')).not.toBe(plain.headers.get('etag'))
    expect(gzipped.headers.get('vary')).toMatch(/accept-encoding/i)
    expect(await gzipped.text()).toBe(await plain.text())
  })

  it('is omitted from the response to HEAD, which has the same Content-Length as the response to GET', async () => {
    await using server = await serveDocs(development)
    const url = `${server.origin}/api-docs.json`
    const headers = { 'Accept-Encoding': 'identity' }
    const head = await fetch(url, { method: 'HEAD', headers })
    const body = await (await fetch(url, { headers })).arrayBuffer()
    expect(head.headers.get('content-length')).toBe(String(body.byteLength))
    expect(await head.text()).toBe('')
  })

  it('is created only once, at the first request', async () => {
    let calls = 0
    const document = () => {
      calls++
      return sampleDocument
    }
    await using server = await serveDocs({ ...development, documents: [{ ...orders, document }] })
    expect(calls).toBe(0)
    for (const path of ['', '.json', '.yaml']) await fetch(`${server.origin}/api-docs${path}`)
    expect(calls).toBe(1)
  })

  it('causes an error on every request if its creation fails', async () => {
    const errors: unknown[] = []
    const document = () => {
      throw new Error('no document')
    }
    const routes = buildDocs({ ...development, documents: [{ ...orders, document }] })
    const json = routes.find(({ path }) => path === '/api-docs.json')
    for (let i = 0; i < 2; i++) {
      await new Promise<void>((resolve) => {
        json?.handle({}, {}, (error: unknown) => resolve(void errors.push(error)))
      })
    }
    expect(errors).toEqual([new Error('no document'), new Error('no document')])
  })
})

describe.each([
  ['swagger-ui', development],
  ['the built-in page', builtIn],
])('%s', (_, config) => {
  it('loads all of its files at any mount path and URL', async () => {
    await using root = await serveDocs(config)
    await using mounted = await serveDocs(config, { prefix: '/v1/shop' })
    const urls = [
      `${root.origin}/api-docs`,
      `${root.origin}/api-docs/`,
      `${root.origin}/API-Docs?url=x`,
      `${root.origin}/api-docs/?a=b#c`,
      `${mounted.origin}/v1/shop/api-docs`,
      `${mounted.origin}/v1/shop/api-docs/?a/b`,
    ]
    for (const url of urls) {
      const files = loadedFrom(await (await fetch(url)).text(), url)
      expect(files.length).toBeGreaterThan(1)
      for (const file of files) {
        const response = await fetch(file)
        expect(`${response.status} ${file}`).toBe(`200 ${file}`)
        expect(response.headers.get('content-type')).toMatch(/javascript|css|svg/)
        expect(response.headers.get('cache-control')).toBe('no-cache')
        expect(response.headers.get('x-content-type-options')).toBe('nosniff')
        await response.arrayBuffer()
      }
    }
  })

  it('contains no inline script, style or handler', async () => {
    await using server = await serveDocs(config)
    const page = await (await fetch(`${server.origin}/api-docs`)).text()
    expect(page).not.toMatch(
      /<style|\sstyle=|\son\w+=|javascript:|https?:\/\/(?!127|example|open)/i,
    )
    expect(page).not.toMatch(/<script(?![^>]*\ssrc=)/)
  })

  it('replaces the Content-Security-Policy of helmet', async () => {
    const middlewares = [helmet(), helmet({ contentSecurityPolicy: { reportOnly: true } })]
    await using server = await serveDocs(config, { middlewares })
    const { headers } = await fetch(`${server.origin}/api-docs`)
    const policy = headers.get('content-security-policy')
    expect(policy).toMatch(/^default-src 'none'; /)
    expect(policy).not.toMatch(/unsafe|upgrade-insecure-requests|https:/)
    expect(headers.get('content-security-policy-report-only')).toBeNull()
  })

  it('escapes its title', async () => {
    const info = { ...sampleDocument.info, title: '</title><script>1</script>"&' }
    const documents = [{ ...orders, document: () => ({ ...sampleDocument, info }) }]
    await using server = await serveDocs({ ...config, documents })
    const page = await (await fetch(`${server.origin}/api-docs`)).text()
    expect(page).toContain('<title>&lt;/title&gt;&lt;script&gt;1&lt;/script&gt;&quot;&amp;</title>')
  })

  it('sends X-Robots-Tag: noindex, and the page also its policies', async () => {
    await using server = await serveDocs(config)
    for (const path of ['', '.json', '.yaml']) {
      const { headers } = await fetch(`${server.origin}/api-docs${path}`)
      expect(headers.get('x-robots-tag')).toBe('noindex')
      expect(headers.get('referrer-policy')).toBe(path === '' ? 'no-referrer' : null)
    }
    const { headers } = await fetch(`${server.origin}/api-docs`)
    const forAll = `default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; style-src 'self'`
    const forScripts = `script-src 'self'; img-src 'self' data: blob:; media-src blob:; font-src 'self' data:`
    const own = config === builtIn ? `; img-src 'self'` : `; ${forScripts}; connect-src 'self'`
    expect(headers.get('content-security-policy')).toBe(forAll + own)
  })

  it('can be served at the root', async () => {
    const documents = [{ ...orders, path: '/' }]
    await using root = await serveDocs({ ...config, documents })
    await using mounted = await serveDocs({ ...config, documents }, { prefix: '/docs' })
    for (const url of [`${root.origin}/`, `${mounted.origin}/docs`, `${mounted.origin}/docs/`]) {
      const page = await (await fetch(url)).text()
      for (const file of loadedFrom(page, url)) expect((await fetch(file)).status).toBe(200)
      for (const name of ['json', 'yaml']) {
        const [, link = ''] = page.match(new RegExp(`href="([^"]+\\.${name})"`)) ?? []
        const response = await fetch(new URL(link, url))
        expect(response.headers.get('content-type')).toBe(`application/${name}; charset=utf-8`)
      }
    }
  })

  it('is served for each of several documents', async () => {
    const document = { ...sampleDocument, info: { ...sampleDocument.info, title: 'Admin' } }
    const admin = { path: '/docs/admin', document: () => document }
    await using server = await serveDocs({ ...config, documents: [orders, admin] })
    const page = await (await fetch(`${server.origin}/docs/admin`)).text()
    expect(page).toContain('<title>Admin</title>')
    expect((await fetch(`${server.origin}/docs/admin.json`)).status).toBe(200)
    expect(await (await fetch(`${server.origin}/api-docs`)).text()).toContain('<title>Orders<')
  })
})

describe('the Content-Security-Policy of swagger-ui', () => {
  const connectSource = async (config: DocsConfig) => {
    await using server = await serveDocs(config)
    const { headers } = await fetch(`${server.origin}/api-docs`)
    return headers.get('content-security-policy')?.match(/connect-src ([^;]*)/)?.[1]
  }

  it('allows requests to the servers that the document lists', async () => {
    const config = withServers('/', 'https://api.example.com/v1', 'http://10.0.0.1:8080')
    expect(await connectSource(config)).toBe("'self' https://api.example.com http://10.0.0.1:8080")
  })

  it.each([
    'https://a;script-src *',
    'https://a;b',
    "https://x/; script-src 'unsafe-inline'",
    'https://*',
    'data:x',
    'https://[::1]',
    'https://{tenant}.example.com',
  ])('adds at most a valid origin for the server %s', async (url) => {
    expect(await connectSource(withServers(url))).toMatch(/^'self'(?: https:\/\/x)?$/)
  })
})

describe('the init script of swagger-ui', () => {
  const initScript = async (config: DocsConfig) => {
    await using server = await serveDocs(config)
    return (await fetch(`${server.origin}/api-docs?init.js`)).text()
  }

  it('disables the external validator, and ignores the query of the page', async () => {
    const script = await initScript({ ...development, isProduction: true })
    expect(script).toContain('"validatorUrl": null')
    expect(script).toContain('"queryConfigEnabled": false')
    expect(script).toContain('"persistAuthorization": false')
  })

  it('enables "Try it out" without a click only in development', async () => {
    expect(await initScript(development)).toContain('"tryItOutEnabled": true')
    const production = await initScript({ ...development, isProduction: true })
    expect(production).toContain('"tryItOutEnabled": false')
  })

  it.each([
    ['/', '/.json'],
    ['/docs/v1', '.json'],
  ])('loads the document of the page at %s from the path with the ending %s', async (path, end) => {
    const documents = [{ ...orders, path }]
    await using server = await serveDocs({ ...development, documents })
    const script = await (await fetch(`${server.origin}${path}?init.js`)).text()
    expect(script).toContain(`"document": "${end}"`)
  })

  it.each([
    [20, false],
    [21, true],
  ])('with %i operations, sets `filter` to %s', async (count, hasFilter) => {
    const get = { responses: {} }
    const paths = Object.fromEntries(Array.from({ length: count }, (_, i) => [`/${i}`, { get }]))
    const document = () => ({ ...sampleDocument, paths })
    const script = await initScript({ ...development, documents: [{ ...orders, document }] })
    expect(script).toContain(`"filter": ${hasFilter}`)
  })

  it('comes with a script that stores credentials in sessionStorage, only in development', async () => {
    await using inDevelopment = await serveDocs(development)
    await using inProduction = await serveDocs({ ...development, isProduction: true })
    const path = '/api-docs?session-authorization.js'
    const script = await (await fetch(inDevelopment.origin + path)).text()
    expect(script).toContain('sessionStorage')
    expect(script).not.toContain('localStorage')
    expect(await (await fetch(inProduction.origin + path)).text()).not.toContain('sessionStorage')
    const page = await (await fetch(`${inProduction.origin}/api-docs`)).text()
    expect(page).not.toContain('session-authorization')
  })
})

describe('the files of swagger-ui-dist', () => {
  const directory = mkdtempSync(join(tmpdir(), 'docs-'))
  afterAll(() => rmSync(directory, { recursive: true }))

  it('are served only if the page needs them', async () => {
    await using server = await serveDocs(development)
    for (const file of ['package.json', 'swagger-ui.js', '..%2fpackage.json', 'index.html']) {
      expect((await fetch(`${server.origin}/api-docs/${file}`)).status).toBe(404)
      const { headers } = await fetch(`${server.origin}/api-docs?${file}`)
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    }
  })

  it('cause a 500 response while they are missing', async () => {
    await using server = await serveDocs({ ...development, resolvePeer: () => directory })
    const url = `${server.origin}/api-docs?swagger-ui.css`
    expect((await fetch(url)).status).toBe(500)
    writeFileSync(join(directory, 'swagger-ui.css'), 'body {}')
    expect(await (await fetch(url)).text()).toBe('body {}')
  })

  it('get a new ETag when they change', async () => {
    const tags: unknown[] = []
    for (const version of [1, 2]) {
      const folder = mkdtempSync(join(directory, `${version}-`))
      writeFileSync(join(folder, 'swagger-ui.css'), `body { order: ${version} }`)
      await using server = await serveDocs({ ...development, resolvePeer: () => folder })
      tags.push((await fetch(`${server.origin}/api-docs?swagger-ui.css`)).headers.get('etag'))
    }
    expect(tags[0]).toMatch(/^"[\w-]{22}"$/)
    expect(tags[0]).not.toBe(tags[1])
  })
})
