import { ApiTags, App, Body, type Class, Controller, Get, Post } from 'blazon'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { compareDocuments } from '../../src/cli/diff/compare-documents.js'
import type { OpenApiDocument, OpenApiSchema } from '../../src/contracts/openapi.js'

type Json = Readonly<Record<string, unknown>>

/** A document as another tool may have written it. */
function documentOf(paths: Json, components: Json = {}): OpenApiDocument {
  const info = { title: 'T', version: '1' }
  const document = { openapi: '3.0.3', info, servers: [], tags: [], paths, components }
  return document as unknown as OpenApiDocument
}

function changes(base: OpenApiDocument, current: OpenApiDocument): string[] {
  return compareDocuments(base, current).map(
    ({ rule, isBreaking, location }) => `${isBreaking ? 'breaking' : 'ok'} ${rule} @ ${location}`,
  )
}

const operation = (facts: Json): OpenApiDocument =>
  documentOf({ '/x': { post: { responses: {}, ...facts } } })
const json = (schema: OpenApiSchema) => ({ 'application/json': { schema } })
const request = (schema: OpenApiSchema) => operation({ requestBody: { content: json(schema) } })
const response = (schema: OpenApiSchema) => operation({ responses: { '200': body(schema) } })
const body = (schema: OpenApiSchema) => ({ description: '', content: json(schema) })

/** The changes of a schema in a request, and those in a response, without their places. */
function both(base: OpenApiSchema, current: OpenApiSchema): string[][] {
  const short = (list: string[]) => list.map((each) => each.replace(/ @ .*/, ''))
  return [
    short(changes(request(base), request(current))),
    short(changes(response(base), response(current))),
  ]
}

const NONE = [[], []]
const text: OpenApiSchema = { type: 'string' }
const number: OpenApiSchema = { type: 'number' }

describe('parameters of a whole path', () => {
  const query = (name: string, facts: Json = {}) => ({ name, in: 'query', schema: text, ...facts })
  const id = { name: 'id', in: 'path', required: true, schema: text }
  const at = (path: string, parameters: Json[], own: Json[] = [], components: Json = {}) =>
    documentOf({ [path]: { parameters, get: { parameters: own, responses: {} } } }, components)

  it('are compared for each operation', () => {
    const [none, one] = [at('/x', []), at('/x', [query('q')])]
    expect(changes(one, none)).toEqual(['breaking parameter-removed @ query parameter q'])
    expect(changes(none, at('/x', [query('q', { required: true })]))).toEqual([
      'breaking required-parameter-added @ query parameter q',
    ])
    expect(changes(one, at('/x', [query('q', { schema: number })]))).toEqual([
      'breaking type-changed @ query parameter q',
    ])
  })

  it('can move to the operations, whose own parameters take precedence', () => {
    expect(changes(at('/x', [query('q')]), at('/x', [], [query('q')]))).toEqual([])
    const overridden = at('/x', [query('q', { schema: number })], [query('q')])
    expect(changes(at('/x', [query('q')]), overridden)).toEqual([])
  })

  it('keep their positions in the path when they move from an operation', () => {
    const sub = { ...id, name: 'sub', schema: number }
    const base = at('/x/{id}/{sub}', [], [id, sub])
    expect(changes(base, at('/x/{id}/{sub}', [sub], [id]))).toEqual([])
  })

  it('can be references, and so can bodies', () => {
    const parameters = { Q: query('q') }
    const ref = { $ref: '#/components/parameters/Q' }
    expect(changes(at('/x', [ref], [], { parameters }), at('/x', [query('q')]))).toEqual([])
    const requestBody = { content: json(text), required: true }
    const referring = documentOf(
      { '/x': { post: { requestBody: { $ref: '#/components/requestBodies/B' }, responses: {} } } },
      { requestBodies: { B: requestBody } },
    )
    expect(changes(referring, operation({ requestBody }))).toEqual([])
    expect(changes(operation({}), referring)).toEqual(['breaking required-body-added @ body'])
  })
})

describe('a range of statuses or media types', () => {
  const responses = (of: Json) => operation({ responses: of })

  it('can be replaced by single statuses', () => {
    const range = responses({ '2XX': body(text), default: body(number) })
    const one = responses({ '200': body(text), default: body(number) })
    expect(changes(range, one)).toEqual(['ok response-added @ response 200'])
    const all = { '200': body(text), '201': body(text), '204': { description: '' } }
    const added = ['200', '201', '204', '404'].map((each) => `ok response-added @ response ${each}`)
    expect(changes(range, responses({ ...all, '404': body(number) }))).toEqual(added)
  })

  it('cannot be replaced by other bodies or removed without a breaking change', () => {
    const range = responses({ '2XX': body(text) })
    expect(changes(range, responses({ '200': body(text), '201': body(number) }))).toEqual([
      'breaking type-changed @ response 201',
      'ok response-added @ response 200',
      'ok response-added @ response 201',
    ])
    expect(changes(range, responses({ '404': body(text) }))).toEqual([
      'breaking response-removed @ response 2XX',
      'ok response-added @ response 404',
    ])
    expect(changes(range, responses({ '204': { description: '' } }))).toEqual([
      'breaking content-type-removed @ response 204',
      'ok response-added @ response 204',
    ])
  })

  it('does not include a status that the older document describes separately', () => {
    const base = responses({ '2XX': body(text), '201': body(number) })
    expect(changes(base, responses({ '200': body(text), '201': body(number) }))).toEqual([
      'ok response-added @ response 200',
    ])
    expect(changes(base, responses({ '201': body(number) }))).toEqual([
      'breaking response-removed @ response 2XX',
    ])
  })

  it('can be replaced by single media types', () => {
    const of = (...types: string[]) => {
      const content = Object.fromEntries(types.map((type) => [type, { schema: text }]))
      return responses({ '200': { description: '', content } })
    }
    expect(changes(of('image/*'), of('image/png', 'image/jpeg'))).toEqual([])
    expect(changes(of('image/*'), of('text/plain'))).toEqual([
      'breaking content-type-removed @ response 200',
      'ok content-type-added @ response 200',
    ])
    expect(changes(of('application/json'), of('application/JSON; charset=utf-8'))).toEqual([])
  })
})

describe('a request that accepts more', () => {
  it('is not a breaking change if its schema becomes one of several alternatives', () => {
    const either = { anyOf: [text, number] }
    expect(both(text, either)).toEqual([['ok choice-added'], ['breaking choice-added']])
    expect(both(either, text)).toEqual([['breaking choice-removed'], ['ok choice-removed']])
    const wider = { anyOf: [{ type: 'string', maxLength: 9 } as const, number] }
    expect(both({ ...text, maxLength: 5 }, wider)).toEqual([
      ['ok choice-added'],
      ['ok choice-removed', 'breaking choice-added'],
    ])
    expect(both(text, wider)[0]).toEqual(['breaking choice-removed', 'ok choice-added'])
  })

  it('is not a breaking change if an alternative becomes wider, and others are new', () => {
    const base = { oneOf: [{ ...text, maxLength: 5 }, { type: 'boolean' } as const] }
    const current = { oneOf: [text, { type: 'boolean' } as const, number] }
    expect(both(base, current)).toEqual([
      ['ok choice-added'],
      ['ok choice-removed', 'breaking choice-added'],
    ])
  })

  it('is compared in finite time even if schemas contain themselves', () => {
    const node = (leaf: OpenApiSchema) => {
      const Node: OpenApiSchema = {
        anyOf: [leaf, { type: 'object', properties: { next: { $ref: '#/components/schemas/N' } } }],
      }
      const requestBody = { content: json({ $ref: '#/components/schemas/N' }) }
      return documentOf(
        { '/x': { post: { requestBody, responses: {} } } },
        { schemas: { N: Node } },
      )
    }
    expect(changes(node(text), node({ anyOf: [text, number] }))).toEqual(['ok choice-added @ body'])
  })

  it('is not a breaking change if a range of media types includes the previous type', () => {
    const of = (type: string) =>
      operation({ requestBody: { content: { [type]: { schema: text } } } })
    expect(changes(of('image/png'), of('image/*'))).toEqual([])
    expect(changes(of('image/png'), of('*/*'))).toEqual([])
    expect(changes(of('image/*'), of('image/png'))).toEqual([
      'breaking content-type-removed @ body',
      'ok content-type-added @ body',
    ])
  })

  it('is not a breaking change if a single parameter value is no longer exploded', () => {
    const of = (schema: OpenApiSchema, facts: Json) =>
      operation({ parameters: [{ name: 'q', in: 'query', schema, ...facts }] })
    expect(changes(of(text, {}), of(text, { explode: false }))).toEqual([])
    const list: OpenApiSchema = { type: 'array', items: text }
    expect(changes(of(list, {}), of(list, { explode: false }))).toEqual([
      'breaking parameter-style-changed @ query parameter q',
    ])
  })
})

describe('unions of constants', () => {
  const one = (...values: unknown[]): OpenApiSchema => ({ type: 'string', enum: values })

  it('are treated as equal to an enum of the same values', () => {
    expect(both({ anyOf: [one('a'), one('b')] }, one('b', 'a'))).toEqual(NONE)
    expect(both(one('a', 'b'), { oneOf: [one('a'), one('b')] })).toEqual(NONE)
    const nullable = { type: 'string', nullable: true, enum: ['a', null] } as const
    expect(
      both({ oneOf: [one('a'), { ...text, nullable: true, enum: [null] }] }, nullable),
    ).toEqual(NONE)
  })

  it('are compared by their values', () => {
    expect(both({ anyOf: [one('a'), one('b')] }, one('a', 'b', 'c'))).toEqual([
      ['ok enum-widened'],
      ['breaking enum-widened'],
    ])
    expect(both({ anyOf: [one('a'), one('b')] }, one('a'))).toEqual([
      ['breaking enum-narrowed'],
      ['ok enum-narrowed'],
    ])
  })

  it('are equal to an enum in documents of an application, in each version of OpenAPI', () => {
    const documents = (schema: z.ZodType) => {
      @Controller('x')
      class XController {
        @Post()
        @Body(z.object({ kind: schema }))
        create() {}
      }
      const swagger = (['3.0', '3.1'] as const).map((openapi) => ({ path: `/${openapi}`, openapi }))
      return new App({ controllers: [XController], swagger }).documents
    }
    const base = documents(z.union([z.literal('a'), z.literal('b')]))
    const current = documents(z.enum(['a', 'b']))
    for (const [index, { document }] of base.entries()) {
      expect(changes(document, current[index]?.document as OpenApiDocument)).toEqual([])
    }
  })
})

describe('fields on only one side', () => {
  const of = (facts: OpenApiSchema, required: string[] = []): OpenApiSchema => ({
    type: 'object',
    properties: { id: { ...number, ...facts } },
    required,
  })
  const none: OpenApiSchema = { type: 'object', properties: {} }

  it('are ignored in requests if they are readOnly', () => {
    const readOnly = of({ readOnly: true }, ['id'])
    expect(both(none, readOnly)[0]).toEqual([])
    expect(both(readOnly, none)).toEqual([[], ['breaking property-removed']])
    expect(both(of({}), of({ readOnly: true }))[0]).toEqual(['breaking property-removed'])
    expect(both(readOnly, of({}, ['id']))[0]).toEqual(['breaking required-property-added'])
  })

  it('are ignored in responses if they are writeOnly', () => {
    const writeOnly = of({ writeOnly: true })
    expect(both(writeOnly, none)).toEqual([['breaking property-removed'], []])
    expect(both(none, writeOnly)).toEqual([['ok property-added'], []])
  })
})

describe('methods of the generated client', () => {
  function listOf(owner: string, path: string, tag: string): Class {
    @Controller(path)
    @ApiTags(tag)
    class ListController {
      @Get()
      list() {}
    }
    Object.defineProperty(ListController, 'name', { value: `${owner}Controller` })
    return ListController
  }
  const documentWith = (...controllers: Class[]) => new App({ controllers }).document
  const users = listOf('Users', 'users', 'Users')
  const people = listOf('People', 'people', 'Users')
  const staff = listOf('Staff', 'staff', 'Users')

  it('keep their names when an operation is added', () => {
    expect(changes(documentWith(users), documentWith(people, users, staff))).toEqual([
      'ok operation-added @ ',
      'ok operation-added @ ',
    ])
    expect(changes(documentWith(people), documentWith(people, staff))).toEqual([
      'ok operation-added @ ',
    ])
  })

  it('are reported if a new operation or another tag changes their names', () => {
    const renamed = compareDocuments(documentWith(people), documentWith(people, users))
    expect(renamed.map(({ rule }) => rule)).toEqual(['client-method-renamed', 'operation-added'])
    expect(renamed[0]).toMatchObject({
      operation: 'GET /people',
      isBreaking: false,
      message: 'The method of the generated client was users.list and is now users.peopleList.',
    })
    expect(changes(documentWith(users), documentWith(listOf('Users', 'users', 'Admin')))).toEqual([
      'ok client-method-renamed @ ',
    ])
  })
})
