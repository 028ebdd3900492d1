import 'reflect-metadata'
import { createRequire } from 'node:module'
import { transformSync as swc } from '@swc/core'
import * as blazon from 'blazon'
import { Body, type Class, Controller, Get, Headers, Params, Post, Query } from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems } from '../../support.js'

const require = createRequire(import.meta.url)

class CreateUser {
  declare name: string
}

const Part = { Body, Query, Params, Headers }

/** A controller with the metadata of `emitDecoratorMetadata`. esbuild, which compiles the tests, cannot write it. */
function controllerOf(part: keyof typeof Part, type: unknown): Class {
  @Controller()
  class Users {
    @Post()
    @Reflect.metadata('design:paramtypes', [Object, type])
    create(@Headers() _headers: unknown, @(Part[part]()) _value: unknown) {}
  }
  return Users
}

async function problemOf(controller: Class) {
  const problems = await bootProblems({ controllers: [controller] })
  expect(problems).toHaveLength(1)
  return problems[0]
}

describe('a parameter whose type is a class', () => {
  it.each(['Body', 'Query', 'Params', 'Headers'] as const)(
    'is refused without a schema: @%s',
    async (part) => {
      const problem = await problemOf(controllerOf(part, CreateUser))
      expect(problem).toMatchObject({ code: 'E_INPUT_UNCHECKED', subject: 'Users.create' })
      expect(problem?.cause).toContain('CreateUser')
      expect(problem?.cause).toContain(`@${part}()`)
      expect(problem?.remedy).toContain(`@${part}(schema)`)
    },
  )

  it.each([String, Number, Boolean, BigInt, Array, Date, Map, Set, Promise, Function])(
    'is refused with a suitable cause if the class is built in: %o',
    async (type) => {
      expect((await problemOf(controllerOf('Body', type)))?.cause).toContain(type.name)
      expect((await problemOf(controllerOf('Query', type)))?.cause).toContain('object')
    },
  )

  it.each([Object, undefined])('causes no error if the metadata contains %o', async (type) => {
    for (const part of Object.keys(Part) as (keyof typeof Part)[]) {
      const app = await TestApp.create({ controllers: [controllerOf(part, type)], strict: true })
      await app.close()
    }
  })

  it.each([Buffer, Uint8Array])(
    'causes no error if a body parser produces the class: %o',
    async (type) => {
      const app = await TestApp.create({ controllers: [controllerOf('Body', type)], strict: true })
      await app.close()
      expect((await problemOf(controllerOf('Query', type)))?.code).toBe('E_INPUT_UNCHECKED')
    },
  )

  it('causes no error with a schema on the parameter or on the method', async () => {
    const Schema = z.object({ name: z.string() })
    @Controller()
    class Users {
      @Post('a')
      @Reflect.metadata('design:paramtypes', [CreateUser])
      a(@Body(Schema) _value: CreateUser) {}
      // The types of the options expect a handler with the request as parameter.
      @(Post('b', { body: Schema }) as MethodDecorator)
      @Reflect.metadata('design:paramtypes', [CreateUser])
      b(@Body() _value: CreateUser) {}
    }
    const app = await TestApp.create({ controllers: [Users], strict: true })
    expect((await app.request().post('/b').send({})).status).toBe(400)
    await app.close()
  })

  it('is reported once for a method with two routes, even if the method is inherited', async () => {
    class Base {
      @Get('a')
      @Post('b')
      @Reflect.metadata('design:paramtypes', [CreateUser])
      create(@Query() _value: CreateUser) {}
    }
    @Controller()
    class Users extends Base {
      override create(_value: CreateUser) {}
    }
    expect((await problemOf(Users))?.subject).toBe('Users.create')
  })

  it('is detected even if another controller has the same class name', async () => {
    const versions = ['v1', 'v2'].map((version, index) => {
      @Controller(version)
      class Users {
        @Post()
        @Reflect.metadata('design:paramtypes', [index === 0 ? Object : CreateUser])
        create(@Body() _value: unknown) {}
      }
      return Users
    })
    const [problem] = await bootProblems({ controllers: versions })
    expect(problem?.code).toBe('E_INPUT_UNCHECKED')
  })

  it('causes an error that proposes the class itself or its static `schema`', async () => {
    class Named {
      static '~standard' = {}
    }
    expect((await problemOf(controllerOf('Body', Named)))?.remedy).toContain('@Body(Named)')
    class Kept {
      static schema = z.object({ name: z.string() })
    }
    expect((await problemOf(controllerOf('Body', Kept)))?.remedy).toContain('@Body(Kept.schema)')
  })
})

const SOURCE = `
import { Body, Controller, Post, Req } from 'blazon'
class CreateUser { name!: string }
interface Anything { name: string }
@Controller()
export class Users {
  @Post('dto') dto(@Body() body: CreateUser) { return body }
  @Post('maybe') maybe(@Body() body: CreateUser | undefined) { return body }
  @Post('list') list(@Body() body: CreateUser[]) { return body }
  @Post('any') any(@Body() body: any) { return body }
  @Post('shape') shape(@Body() body: Anything) { return body }
  @Post('request') request(@Req() req: CreateUser) { return req }
}
`

describe.each([
  [
    'TypeScript',
    () => {
      const ts = require('typescript-5')
      const compilerOptions = {
        module: ts.ModuleKind.CommonJS,
        target: ts.ScriptTarget.ES2022,
        experimentalDecorators: true,
        emitDecoratorMetadata: true,
        strict: true,
      }
      return ts.transpileModule(SOURCE, { compilerOptions }).outputText
    },
  ],
  [
    'swc',
    () =>
      swc(SOURCE, {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          target: 'es2022',
          transform: { legacyDecorator: true, decoratorMetadata: true },
        },
        module: { type: 'commonjs' },
      }).code,
  ],
])('the metadata that %s writes', (_, compile) => {
  it('contains the classes, so that boot detects the problems', async () => {
    const module = { exports: {} as Record<string, Class> }
    new Function('require', 'module', 'exports', compile())(() => blazon, module, module.exports)
    const problems = await bootProblems({ controllers: [module.exports.Users as Class] })
    const found = problems.map(({ code, subject }) => `${code} ${subject}`)
    expect(found.filter((line) => !line.endsWith('maybe'))).toEqual([
      'E_INPUT_UNCHECKED Users.dto',
      'E_INPUT_UNCHECKED Users.list',
    ])
  })
})
