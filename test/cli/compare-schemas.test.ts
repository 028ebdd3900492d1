import { describe, expect, it } from 'vitest'
import { compareDocuments } from '../../src/cli/diff/compare-documents.js'
import type {
  OpenApiDocument,
  OpenApiOperation,
  OpenApiSchema,
} from '../../src/contracts/openapi.js'

type Schemas = Readonly<Record<string, OpenApiSchema>>
const text: OpenApiSchema = { type: 'string' }
const number: OpenApiSchema = { type: 'number' }
const content = (schema: OpenApiSchema) => ({ 'application/json': { schema } })

function documentOf(
  paths: Record<string, Partial<OpenApiOperation>>,
  schemas: Schemas = {},
): OpenApiDocument {
  return {
    openapi: '3.0.3',
    info: { title: 'T', version: '1' },
    servers: [],
    tags: [],
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, operation]) => [
        path,
        { post: { responses: {}, ...operation } },
      ]),
    ),
    components: { schemas },
  }
}

function changes(base: OpenApiDocument, current: OpenApiDocument): string[] {
  return compareDocuments(base, current).map(
    ({ rule, isBreaking, location }) => `${isBreaking ? 'breaking' : 'ok'} ${rule} @ ${location}`,
  )
}

/** The changes of a schema in a request, and those in a response, without their places. */
function both(base: OpenApiSchema, current: OpenApiSchema, schemas: Schemas[] = [{}, {}]) {
  const request = (schema: OpenApiSchema, of: Schemas | undefined) =>
    documentOf({ '/x': { requestBody: { required: true, content: content(schema) } } }, of)
  const response = (schema: OpenApiSchema, of: Schemas | undefined) =>
    documentOf(
      { '/x': { responses: { '200': { description: '', content: content(schema) } } } },
      of,
    )
  const [from, to] = schemas
  const short = (list: string[]) => list.map((each) => each.split(' @ ')[0])
  return [
    short(changes(request(base, from), request(current, to))),
    short(changes(response(base, from), response(current, to))),
  ]
}

const NONE = [[], []]

describe('alternatives', () => {
  const [a, b, c] = [text, number, { type: 'boolean' }] as const

  it('are compared if one replaces another', () => {
    const wide = { type: 'string', maxLength: 9 } as const
    expect(both({ oneOf: [a, b] }, { oneOf: [b, wide] })).toEqual([
      ['breaking bound-tightened'],
      ['ok bound-tightened'],
    ])
  })

  it('cause one change for all removals and one for all additions', () => {
    expect(both({ anyOf: [a, b] }, { anyOf: [c] })).toEqual([
      ['breaking choice-removed', 'ok choice-added'],
      ['ok choice-removed', 'breaking choice-added'],
    ])
    expect(both({ anyOf: [a] }, { anyOf: [b, c] })).toEqual([
      ['breaking choice-removed', 'ok choice-added'],
      ['ok choice-removed', 'breaking choice-added'],
    ])
    expect(both({ anyOf: [a, b] }, { anyOf: [a] })).toEqual([
      ['breaking choice-removed'],
      ['ok choice-removed'],
    ])
  })

  it('can be reordered, and oneOf can become anyOf, without a change', () => {
    expect(both({ oneOf: [a, b] }, { anyOf: [b, a] })).toEqual(NONE)
  })
})

describe('the parts of allOf', () => {
  it('are overridden by keywords outside allOf', () => {
    const part = { type: 'string', maxLength: 5 } as const
    expect(
      both({ ...text, maxLength: 5 }, { maxLength: 5, allOf: [{ maxLength: 9 }, text] }),
    ).toEqual(NONE)
    expect(both(part, { allOf: [part], maxLength: 3 })).toEqual([
      ['breaking bound-tightened'],
      ['ok bound-tightened'],
    ])
  })

  it('are overridden by later parts', () => {
    expect(both({ allOf: [{ title: 'a' }, text] }, text)).toEqual(NONE)
    const parts = (...limits: number[]): OpenApiSchema => ({
      allOf: limits.map((maxLength) => ({ type: 'string', maxLength })),
    })
    expect(both(parts(9, 5), parts(1, 5))).toEqual(NONE)
  })
})

describe('component names', () => {
  it('can contain several slashes and tildes', () => {
    const ref = { $ref: '#/components/schemas/a~1b~1c~0d~0e' }
    const named = (schema: OpenApiSchema) => ({ 'a/b/c~d~e': schema })
    expect(both(ref, ref, [named(text), named(text)])).toEqual(NONE)
    expect(both(ref, text, [named(text), {}])).toEqual(NONE)
    expect(both(ref, ref, [named(text), named(number)])).toEqual([
      ['breaking type-changed'],
      ['breaking type-changed'],
    ])
  })
})

describe('the parameters of a path', () => {
  it('can all be renamed without a change', () => {
    const operation = (...names: string[]): Partial<OpenApiOperation> => ({
      parameters: names.map(
        (name) => ({ name, in: 'path', required: true, schema: text }) as const,
      ),
    })
    const base = documentOf({ '/a/{x}/b/{y}': operation('x', 'y') })
    expect(changes(base, documentOf({ '/a/{p}/b/{q}': operation('p', 'q') }))).toEqual([])
    const other = documentOf({ '/a/{p}/c/{q}': operation('p', 'q') })
    expect(changes(base, other)).toEqual(['breaking operation-removed @ ', 'ok operation-added @ '])
  })
})

describe('a request body', () => {
  const withBody = (required?: boolean) =>
    documentOf({
      '/x': {
        requestBody: { content: content(text), ...(required !== undefined && { required }) },
      } as Partial<OpenApiOperation>,
    })

  it.each<[boolean | undefined, boolean | undefined, string[]]>([
    [false, true, ['breaking input-required @ body']],
    [undefined, true, ['breaking input-required @ body']],
    [true, false, ['ok input-optional @ body']],
    [true, undefined, ['ok input-optional @ body']],
    [false, undefined, []],
    [true, true, []],
  ])('is compared if `required` changes from %s to %s', (base, current, expected) => {
    expect(changes(withBody(base), withBody(current))).toEqual(expected)
  })

  it('causes a change when it is added or removed', () => {
    const none = documentOf({ '/x': {} })
    expect(changes(none, withBody(true))).toEqual(['breaking required-body-added @ body'])
    expect(changes(none, withBody(false))).toEqual(['ok body-added @ body'])
    expect(changes(withBody(false), none)).toEqual(['breaking body-removed @ body'])
  })
})

describe('the value null', () => {
  const [object, list] = [{ type: 'object' }, { type: 'array', items: text }] as const
  const onlyNull = { type: 'string', nullable: true, enum: [null] } as const

  it.each(['oneOf', 'anyOf'] as const)('is treated equally inside and outside %s', (union) => {
    const forms: OpenApiSchema[] = [
      { [union]: [{ ...object, nullable: true }, list] },
      { [union]: [object, { ...list, nullable: true }] },
      { [union]: [object, list, onlyNull] },
      { [union]: [object, list], nullable: true },
    ]
    for (const base of forms) {
      for (const current of forms) expect(both(base, current)).toEqual(NONE)
      const added = [['ok null-added'], ['breaking null-added']]
      expect(both({ [union]: [object, list] }, base)).toEqual(added)
      const removed = [['breaking null-removed'], ['ok null-removed']]
      expect(both(base, { [union]: [object, list] })).toEqual(removed)
    }
  })

  it('is still allowed if a nullable schema becomes one of two branches', () => {
    const more = [['ok choice-added'], ['breaking choice-added']]
    const nullable = { ...object, nullable: true }
    expect(both(nullable, { oneOf: [nullable, list] })).toEqual(more)
    expect(both(nullable, { oneOf: [object, list] })).toEqual([
      ['breaking null-removed', 'ok choice-added'],
      ['ok null-removed', 'breaking choice-added'],
    ])
  })

  it('is refused if it matches two branches of oneOf', () => {
    const twice = { oneOf: [{ ...object, nullable: true }, onlyNull] }
    expect(both(twice, { oneOf: [object, onlyNull] })).not.toEqual(NONE)
  })

  it.each<[string, OpenApiSchema, OpenApiSchema, string]>([
    ['a type', { ...text, nullable: true }, text, 'null'],
    [
      'an enum with null',
      { ...text, nullable: true, enum: ['a', null] },
      { ...text, enum: ['a'] },
      'both',
    ],
    [
      'an enum without null',
      { ...text, nullable: true, enum: ['a'] },
      { ...text, enum: ['a'] },
      'none',
    ],
  ])('is compared if it is removed from %s', (_, nullable, plain, what) => {
    const removed = both(nullable, plain)
    const expected = {
      null: [['breaking null-removed'], ['ok null-removed']],
      both: [
        ['breaking null-removed', 'breaking enum-narrowed'],
        ['ok null-removed', 'ok enum-narrowed'],
      ],
      none: NONE,
    }[what]
    expect(removed).toEqual(expected)
  })
})

describe('bounds', () => {
  const at = (more: OpenApiSchema): OpenApiSchema => ({ ...number, ...more })

  it.each<[string, OpenApiSchema, OpenApiSchema]>([
    ['minimum', at({ minimum: 5 }), at({ minimum: 5, exclusiveMinimum: true })],
    ['maximum', at({ maximum: 5 }), at({ maximum: 5, exclusiveMaximum: true })],
    ['minimum 0', at({ minimum: 0 }), at({ minimum: 0, exclusiveMinimum: true })],
    ['maximum below 0', at({ maximum: -5 }), at({ maximum: -5, exclusiveMaximum: true })],
    ['minItems', { type: 'array', items: text }, { type: 'array', items: text, minItems: 1 }],
    ['maxProperties', { type: 'object' }, { type: 'object', maxProperties: 3 }],
    ['pattern', text, { ...text, pattern: 'a' }],
    ['a different pattern', { ...text, pattern: 'a' }, { ...text, pattern: 'b' }],
    ['uniqueItems', { type: 'array' }, { type: 'array', uniqueItems: true }],
  ])('are reported as tightened or loosened: %s', (_, loose, tight) => {
    expect(both(loose, tight)).toEqual([['breaking bound-tightened'], ['ok bound-tightened']])
    if (loose.pattern !== undefined) return
    expect(both(tight, loose)).toEqual([['ok bound-loosened'], ['ok bound-loosened']])
  })

  it('are not changed by uniqueItems: false', () => {
    expect(both({ type: 'array' }, { type: 'array', uniqueItems: false })).toEqual(NONE)
  })
})

describe('fields that an object does not list', () => {
  const object = (additionalProperties?: boolean | OpenApiSchema): OpenApiSchema => ({
    type: 'object',
    ...(additionalProperties !== undefined && { additionalProperties }),
  })

  it.each([undefined, true, text])(
    'cause a breaking change if additionalProperties changes from %j to false',
    (open) => {
      expect(both(object(open), object(false))).toEqual([
        ['breaking object-closed'],
        ['ok object-closed'],
      ])
      expect(both(object(false), object(open))).toEqual([
        ['ok object-opened'],
        ['ok object-opened'],
      ])
    },
  )

  it('are compared by their schemas', () => {
    expect(both(object(text), object(number))).toEqual([
      ['breaking type-changed'],
      ['breaking type-changed'],
    ])
  })
})
