import {
  ApiResponseDoc,
  App,
  Body,
  type Class,
  Controller,
  HttpCode,
  type OpenApiSchema,
  Post,
  Query,
  type Schema,
} from 'blazon'
import Type from 'typebox'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootWarnings } from '../support.js'

/** A controller with a schema for its body and one for its response. */
function controller(name: string, body: Schema, schema?: Schema): Class {
  @Controller(name)
  class NamedController {
    @Post()
    @HttpCode(201)
    @Body(body)
    @ApiResponseDoc({ status: 201, description: 'Made', ...(schema && { schema }) })
    create(_req: object) {}
  }
  Object.defineProperty(NamedController, 'name', { value: `${name}Controller` })
  return NamedController
}

const documentOf = (...controllers: Class[]) => new App({ controllers }).document
const schemasOf = (...controllers: Class[]) => documentOf(...controllers).components.schemas ?? {}
/** The names of components, without those of the framework. */
const namesOf = (...controllers: Class[]) =>
  Object.keys(schemasOf(...controllers)).filter((name) => !/Envelope|Details|FieldError/.test(name))
const bodyOf = (document: ReturnType<typeof documentOf>, path: string) =>
  document.paths[path]?.post?.requestBody?.content['application/json']?.schema as OpenApiSchema

const User = z.object({ id: z.int(), name: z.string() }).meta({ id: 'User' })
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

describe('components for schemas', () => {
  it('have the names that the authors gave to the schemas, and are referenced by these names', () => {
    const document = documentOf(controller('a', User), controller('b', z.array(User)))
    expect(bodyOf(document, '/a')).toEqual(ref('User'))
    expect(bodyOf(document, '/b')).toEqual({ type: 'array', items: ref('User') })
  })

  it('do not use the name of a schema for an unnamed schema', () => {
    const schema = {
      type: 'object',
      properties: { user: { $ref: '#/$defs/User' }, first: { $ref: '#/$defs/User_1' } },
      $defs: {
        User: { type: 'object', properties: { friends: { $ref: '#/$defs/0' } } },
        // An unnamed schema: a numeric key does not count as a name.
        '0': { type: 'object', properties: { more: { $ref: '#/$defs/0' } } },
        User_1: { type: 'object', properties: { login: { type: 'string' } } },
      },
    }
    const { User_1, User_1_ } = schemasOf(controller('a', schema))
    expect(User_1).toEqual({ type: 'object', properties: { login: { type: 'string' } } })
    expect(User_1_).toEqual({ type: 'object', properties: { more: ref('User_1_') } })
  })

  it('replace equal schemas from other libraries', () => {
    const same = v.object({ id: v.pipe(v.number(), v.integer()), name: v.string() })
    const Same = Type.Object({ name: Type.String(), id: Type.Integer() })
    const document = documentOf(
      controller('a', User),
      controller('b', v.object({ by: same })),
      controller('c', Type.Object({ by: Same })),
    )
    expect(bodyOf(document, '/b').properties?.['by']).toEqual(ref('User'))
    expect(bodyOf(document, '/c').properties?.['by']).toEqual(ref('User'))
  })

  it('do not include schemas without a name', () => {
    expect(namesOf(controller('a', z.object({ n: z.number() })))).toEqual([])
  })

  it('are shared by request and response if both have equal schemas', () => {
    expect(namesOf(controller('a', User, User))).toEqual(['User'])
  })

  it('are separate if request and response differ: the response keeps the name', () => {
    const Post = z.object({ title: z.string(), draft: z.boolean().default(true) })
    const Named = Post.meta({ id: 'Post' })
    const document = documentOf(controller('a', Named, Named))
    expect(bodyOf(document, '/a')).toEqual(ref('PostInput'))
    expect(document.components.schemas?.['PostInput']?.required).toEqual(['title'])
    expect(document.components.schemas?.['Post']?.required).toEqual(['title', 'draft'])
  })

  it('are separate if a referenced schema differs', () => {
    const Tag = z.object({ name: z.string().default('x') }).meta({ id: 'Tag' })
    const Post = z.object({ tags: z.array(Tag) }).meta({ id: 'Post' })
    expect(namesOf(controller('a', Post, Post))).toEqual(['Post', 'PostInput', 'Tag', 'TagInput'])
  })

  it('are named after the operation if a recursive schema has no name', () => {
    const Node: z.ZodType = z.object({
      get children() {
        return z.array(Node)
      },
    })
    const document = documentOf(controller('tree', Node))
    expect(bodyOf(document, '/tree')).toEqual(ref('TreeCreateBody'))
    expect(schemasOf(controller('tree', Node))['TreeCreateBody']?.properties).toEqual({
      children: { type: 'array', items: ref('TreeCreateBody') },
    })
  })

  it('are omitted if nothing in the document refers to them', () => {
    const Paging = z.object({ page: z.coerce.number() }).meta({ id: 'Paging' })
    @Controller('a')
    class AController {
      @Post()
      @Query(Paging)
      list() {}
    }
    expect(namesOf(AController)).toEqual([])
  })

  it('use a name that two schemas share only for the first schema, with a warning', async () => {
    const twice = [
      controller('a', User),
      controller('b', v.pipe(v.object({ x: v.string() }), v.title('User'))),
    ]
    expect(namesOf(...twice)).toEqual(['BCreateBody_User', 'User'])
    const warnings = await bootWarnings({ controllers: twice })
    expect(warnings).toEqual([
      { code: 'W_SCHEMA_NAME_TAKEN', text: expect.stringContaining('bController.create @Body') },
    ])
  })

  it('do not use the reserved names of the framework', () => {
    const Mine = v.pipe(v.object({ x: v.string() }), v.title('ErrorEnvelope'))
    const { components } = documentOf(controller('a', Mine))
    expect(Object.keys(components.schemas?.['ErrorEnvelope']?.properties ?? {})).toContain('code')
    expect(components.schemas).toHaveProperty('ACreateBody_ErrorEnvelope')
  })

  it('can have the names of Object.prototype members', () => {
    const Odd = {
      $id: 'constructor',
      type: 'object',
      properties: { ['__proto__']: { type: 'string' } },
    }
    const { schemas } = documentOf(controller('a', Odd)).components
    expect(Object.hasOwn(schemas ?? {}, 'constructor')).toBe(true)
  })
})

describe('a schema that the document cannot express', () => {
  it('causes a warning with its controller, method and field, and is {} in the document', async () => {
    const Lost = z.object({ deep: z.object({ map: z.custom(() => true) }) })
    const options = { controllers: [controller('a', Lost)] }
    expect(bodyOf(documentOf(...options.controllers), '/a').properties?.['deep']).toMatchObject({
      properties: { map: {} },
    })
    expect(await bootWarnings(options)).toEqual([
      {
        code: 'W_SCHEMA_NOT_REPRESENTABLE',
        text: expect.stringContaining("aController.create @Body at 'deep.map'"),
      },
    ])
  })

  it('prevents the application from starting if `strict` is true', async () => {
    const controllers = [controller('a', z.object({ map: z.custom(() => true) }))]
    await expect(App.create({ controllers, strict: true, logger: false })).rejects.toMatchObject({
      problems: [{ code: 'W_SCHEMA_NOT_REPRESENTABLE' }],
    })
  })

  it('causes no warning if no document is served', async () => {
    const controllers = [controller('a', z.object({ map: z.custom(() => true) }))]
    expect(await bootWarnings({ controllers, swagger: false })).toEqual([])
  })
})

describe('the bytes of a document', () => {
  it('are the same, apart from the tags, if the controllers are in another order', () => {
    const make = () => [controller('a', User, User), controller('b', z.array(User))]
    const { tags: _, ...first } = documentOf(...make())
    const { tags: __, ...turned } = documentOf(...make().reverse())
    expect(JSON.stringify(turned)).toBe(JSON.stringify(first))
  })
})
