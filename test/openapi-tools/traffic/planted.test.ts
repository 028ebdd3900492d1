import type { OpenApiDocument } from 'blazon'
import { describe, expect, it } from 'vitest'
import { APPS } from '../apps/apps.js'
import { documentOf } from '../apps/document-of.js'
import { templateOf, undocumented } from './documented.js'
import { send } from './exchange.js'
import { openGateway } from './gateway.js'
import { MUSEUM_EXCHANGES } from './museum-exchanges.js'
import { createBackend } from './openapi-backend.js'
import { withServer } from './with-server.js'

const options = APPS.find(({ name }) => name === 'museum')?.options ?? {}

/** The museum's document after a change to it. */
function planted(change: (document: Changeable) => void): OpenApiDocument {
  const document = structuredClone(documentOf(options))
  change(document as unknown as Changeable)
  return document
}

// biome-ignore lint/suspicious/noExplicitAny: a document that is broken on purpose has no types
type Changeable = Record<'paths' | 'components', any>

/** The checks that find a problem in one exchange with a document. */
async function problemsOf(whole: OpenApiDocument, name: string): Promise<string[]> {
  const exchange = MUSEUM_EXCHANGES.find((one) => one.name === name)
  if (exchange === undefined) throw new Error(`There is no exchange '${name}'.`)
  // The checks compile the whole document, and the test needs only this path.
  const path = templateOf(whole, exchange) ?? ''
  const document = { ...whole, paths: { [path]: whole.paths[path] ?? {} } }
  const validate = await createBackend(document)
  return withServer(options, async (upstream) => {
    const answer = await send(upstream, exchange)
    const verdict = validate(exchange, answer)
    const exchanges = [exchange]
    const gateway = await openGateway({ document, upstream, exchanges, validatesRequests: true })
    const { status } = await send(gateway.origin, exchange, { 'x-exchange': '0' })
    const problems = gateway.takeProblems()
    await gateway.close()
    return [
      ...undocumented(document, exchange, answer).map(() => 'undocumented'),
      ...(verdict.request.length > 0 ? ['openapi-backend: request'] : []),
      ...(verdict.answer.length > 0 ? ['openapi-backend: answer'] : []),
      ...(problems.length > 0 ? ['validator: answer'] : []),
      ...(status === answer.status ? [] : ['validator: request']),
    ]
  })
}

describe('the traffic checks', () => {
  it('find no problem in a correct exchange', async () => {
    expect(await problemsOf(documentOf(options), 'list by a flag')).toEqual([])
  })

  it('find a response that does not match its schema', async () => {
    const document = planted(({ paths }) => {
      const { schema } = paths['/files/raw'].get.responses[200].content['application/json']
      schema.properties.version.enum = [3]
    })
    expect(await problemsOf(document, 'raw')).toEqual([
      'openapi-backend: answer',
      'validator: answer',
    ])
  })

  it('find an error response that does not match its schema', async () => {
    const document = planted(({ components }) => {
      components.schemas.ErrorEnvelope.properties.code = { type: 'integer' }
    })
    expect(await problemsOf(document, 'create as a visitor')).toEqual([
      'openapi-backend: answer',
      'validator: answer',
    ])
  })

  it('find an undocumented status', async () => {
    const document = planted(({ paths }) => {
      delete paths['/exhibits'].post.responses[403]
    })
    expect(await problemsOf(document, 'create as a visitor')).toEqual([
      'undocumented',
      'validator: answer',
    ])
  })

  it('find an undocumented media type', async () => {
    const document = planted(({ paths }) => {
      const { content } = paths['/files/raw'].get.responses[200]
      content['text/plain'] = content['application/json']
      delete content['application/json']
    })
    expect(await problemsOf(document, 'raw')).toContain('undocumented')
  })

  it('find a request that the application accepts but the document forbids', async () => {
    const document = planted(({ paths }) => {
      const sort = paths['/exhibits'].get.parameters.find(
        ({ name }: { name: string }) => name === 'sort',
      )
      sort.schema.enum = ['title']
    })
    expect(await problemsOf(document, 'list by a flag')).toEqual([
      'openapi-backend: request',
      'validator: request',
    ])
  })

  it('find a body that the application accepts but the document forbids', async () => {
    const document = planted(({ components }) => {
      components.schemas.Room.required.push('parent')
    })
    expect(await problemsOf(document, 'rooms')).toContain('openapi-backend: request')
  })
})
