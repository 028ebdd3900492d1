import type { AppOptions } from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readStructure, routeTable } from '../../../src/app/describe.js'
import { findRoutes } from '../../../src/app/explain/explain-route.js'
import { resolveSettings } from '../../../src/app/settings/resolve-settings.js'
import { emitClient } from '../../../src/cli/client/emit-client.js'
import { rowOf } from '../../../src/cli/texts.js'
import { importClient } from '../../cli/import-client.js'
import { versioned } from './versions-app.js'

async function start(versions: NonNullable<AppOptions['versions']>, more: AppOptions = {}) {
  const app = await TestApp.create({ ...versioned, ...more, versions, contract: 'throw' })
  onTestFinished(() => app.close())
  return app
}

const byPath = { by: 'path', default: '1' } as const
const byHeader = { by: { header: 'X-API-Version' }, default: '1' } as const
const byMediaType = { by: 'mediaType', default: '1' } as const

describe('the documents of an API with versions', () => {
  it('are separate for each version, starting with the default', async () => {
    const app = await start(byPath)
    expect(app.documents.map(({ path, version }) => [path, version])).toEqual([
      ['/api-docs', '1'],
      ['/api-docs/v2', '2'],
    ])
    expect(app.document.info.version).toBe('1')
    const [first, second] = app.documents.map(({ document }) => Object.keys(document.paths))
    expect(first).toEqual([
      '/health',
      '/orders/all/versions',
      '/v1/orders',
      '/v1/orders/cached',
      '/v1/orders/{id}',
    ])
    expect(second).toEqual(['/health', '/orders/all/versions', '/v2/orders', '/v2/orders/cached'])
  })

  it('start with the last version if there is no default', async () => {
    const app = await start({ by: 'path' }, { openapi: { path: '/docs' } })
    expect(app.documents.map(({ path, version }) => [path, version])).toEqual([
      ['/docs', '2'],
      ['/docs/v1', '1'],
    ])
  })

  it('contain the version header as a parameter with one value', async () => {
    const app = await start(byHeader)
    const parameters = app.documents.map(
      ({ document }) => document.paths['/orders']?.get?.parameters,
    )
    const parameter = { name: 'X-API-Version', in: 'header' }
    const schemaOf = (version: string) => ({ type: 'string', enum: [version] })
    expect(parameters).toMatchObject([
      [{ ...parameter, schema: schemaOf('1') }],
      [{ ...parameter, schema: schemaOf('2'), required: true }],
    ])
    expect(parameters[0]?.[0]).not.toHaveProperty('required', true)
    expect(app.document.paths['/health']?.get?.parameters ?? []).toEqual([])
  })

  it('use the same operationId for a handler of two versions', async () => {
    const app = await start(byHeader)
    const ids = app.documents.map(({ document }) => document.paths['/orders']?.post?.operationId)
    expect(ids).toEqual(['Orders_create', 'Orders_create'])
  })

  it('contain the name of the version header and the version', async () => {
    const app = await start(byMediaType, { openapi: { openapi: '3.1' } })
    const named = app.documents.map(({ document }) => document['x-api-version'])
    expect(named).toEqual([
      { header: 'Accept', version: '1' },
      { header: 'Accept', version: '2' },
    ])
    const { document } = await start(byHeader)
    expect(document['x-api-version']).toEqual({ header: 'X-API-Version', version: '1' })
    expect((await start(byPath)).document).not.toHaveProperty('x-api-version')
  })

  it('are served with a page that links to the other versions', async () => {
    const app = await start(byPath)
    const first = await app.request().get('/api-docs').expect(200)
    expect(first.text).toContain(
      '<strong aria-current="page">1</strong> <a href="api-docs/v2">2</a>',
    )
    const second = await app.request().get('/api-docs/v2').expect(200)
    expect(second.text).toContain(
      '<a href="../api-docs">1</a> <strong aria-current="page">2</strong>',
    )
    const { body } = await app.request().get('/api-docs/v2.json').expect(200)
    expect(body.info.version).toBe('2')
    expect(body.servers).toEqual([{ url: '..', description: 'This server' }])
  })
})

describe('the page of an API without versions', () => {
  it('has no links to versions', async () => {
    const { controllers } = versioned
    const app = await TestApp.create({ controllers: (controllers ?? []).slice(2) })
    onTestFinished(() => app.close())
    expect(app.documents).toHaveLength(1)
    expect(app.documents[0]).toMatchObject({ version: null, versions: [] })
    const { text } = await app.request().get('/api-docs').expect(200)
    expect(text).not.toContain('Versions')
  })
})

describe('the generated client of a version', () => {
  it.each([
    ['path', byPath],
    ['header', byHeader],
    ['media-type', byMediaType],
  ])('sends its version automatically (%s)', async (way, versions) => {
    const app = await start(versions)
    const made = app.documents.map(async ({ document, version }) => {
      const text = emitClient(document)
      expect(text).not.toContain('"X-API-Version"?:')
      const { createClient } = await importClient(`versions-${way}-${version}`, text)
      return createClient({ baseUrl: 'http://in-process', fetch: app.fetch })
    })
    const [first, second] = await Promise.all(made)
    expect((await first?.['orders']?.['list']?.())?.data).toEqual({ total: 1 })
    const newer = await second?.['newOrders']?.['list']?.()
    expect(newer?.data).toEqual({ total: { amount: 1, currency: 'EUR' } })
    expect((await second?.['health']?.['read']?.())?.data).toEqual({ isFine: true })
    const created = await second?.['orders']?.['create']?.({ body: { text: 'hi' } })
    expect(created?.data).toEqual({ text: 'hi' })
    expect(second?.['orders']).not.toHaveProperty('read')
  })

  it('contains no version for an API without versions', async () => {
    const app = await TestApp.create({ controllers: (versioned.controllers ?? []).slice(2) })
    onTestFinished(() => app.close())
    expect(emitClient(app.document)).not.toMatch(/fixed|version:/)
  })
})

describe('the explanation of a request', () => {
  it.each([
    ['path', byPath, '/v2/orders'],
    ['header', byHeader, '/orders'],
  ] as const)('contains the matching routes of all versions (%s)', (_, versions, path) => {
    const { settings } = resolveSettings({ ...versioned, versions })
    const { model } = readStructure(settings, { builtIn: [], checkForeign: null })
    const { found } = findRoutes(model, { method: 'GET', path })
    expect(found.map(({ version }) => version)).toEqual(versions === byPath ? ['2'] : ['1', '2'])
    expect(findRoutes(model, { method: 'GET', path, version: '2' }).found).toEqual([found.at(-1)])
    expect(findRoutes(model, { method: 'GET', path, version: '3' }).found).toEqual([])
    const [first, second] = routeTable({ ...model, routes: found }).map((row) => rowOf(row)[1])
    expect([first, second]).toEqual(
      versions === byPath ? [path, undefined] : ['/orders (version 1)', '/orders (version 2)'],
    )
  })
})
