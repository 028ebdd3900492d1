import * as nest from '@nestjs/common'
import { APP_GUARD, Reflector } from '@nestjs/core'
import { App, Auth, Controller, Get } from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { bootProblems, bootWarnings } from '../../support.js'
import { decorate, decorateParameter } from './foreign.js'
import {
  AuditInterceptor,
  codesOf,
  ErrorFilter,
  JwtGuard,
  makeController,
  problemsOf,
  RolesGuard,
  TrimPipe,
} from './nest-parts.js'

describe('a NestJS decorator that has no effect here', () => {
  it.each([
    ['@UseGuards()', nest.UseGuards(JwtGuard, new RolesGuard()), 'auth.guard'],
    ['@UsePipes()', nest.UsePipes(TrimPipe), 'schema'],
    ['@UseInterceptors()', nest.UseInterceptors(AuditInterceptor), 'intercept'],
    ['@UseFilters()', nest.UseFilters(new ErrorFilter()), 'error middleware'],
    ["@SetMetadata('roles')", nest.SetMetadata('roles', ['admin']), '@Can'],
    ["@SetMetadata('isPublic')", nest.SetMetadata('isPublic', true), '@Public()'],
    ["@SetMetadata('required_permissions')", nest.SetMetadata('required_permissions', 7), '@Can'],
  ])('causes an error on a class and on a method: %s', async (written, decorator, remedy) => {
    const byClass = makeController()
    decorate(byClass, null, decorator)
    const byMethod = makeController()
    decorate(byMethod, 'list', decorator)
    const [onClass, ...noMore] = await problemsOf(byClass)
    const [onMethod, ...none] = await problemsOf(byMethod)
    expect([noMore, none]).toEqual([[], []])
    expect(onClass).toMatchObject({ code: 'E_FOREIGN_DECORATOR', subject: 'UsersController' })
    expect(onMethod).toMatchObject({ code: 'E_FOREIGN_DECORATOR', subject: 'UsersController.list' })
    for (const problem of [onClass, onMethod]) {
      expect(problem?.cause).toContain(`${written} of NestJS`)
      expect(problem?.remedy).toContain(remedy)
    }
  })

  it('causes an error if Reflector.createDecorator() has created it', async () => {
    const Roles = Reflector.createDecorator<string[]>()
    const Named = Reflector.createDecorator<string[]>({ key: 'needs-role' })
    const target = makeController()
    decorate(target, 'list', Roles(['admin']))
    decorate(target, null, Named(['user']))
    const problems = await problemsOf(target)
    expect(problems.map(({ code, subject }) => [code, subject])).toEqual([
      ['E_FOREIGN_DECORATOR', 'UsersController'],
      ['E_FOREIGN_DECORATOR', 'UsersController.list'],
    ])
    expect(problems[1]?.cause).toContain('a decorator of Reflector.createDecorator()')
  })

  it('is reported once even if several controllers inherit it', async () => {
    class Base {
      @Get('inherited') inherited() {
        return 1
      }
      @Get('overridden') overridden() {
        return 1
      }
    }
    decorate(Base, null, nest.UseGuards(JwtGuard))
    decorate(Base, 'overridden', nest.UseGuards(RolesGuard))
    @Controller('a')
    class A extends Base {
      override overridden() {
        return 2
      }
    }
    @Controller('b')
    class B extends Base {}
    const problems = await bootProblems({ controllers: [A, B] })
    expect(problems.map(({ code, subject }) => `${code} ${subject}`)).toEqual([
      'E_FOREIGN_DECORATOR A',
      'E_FOREIGN_DECORATOR A.overridden',
    ])
    expect(problems[0]?.cause).toContain('inherits @UseGuards() of NestJS from Base')
    expect(problems[1]?.cause).toContain('inherits @UseGuards() of NestJS from Base')
  })

  it('is detected if the compiler has applied it, in both dialects', async () => {
    type Dual = (...args: unknown[]) => never
    const guarded = nest.UseGuards(JwtGuard) as Dual
    const tagged = nest.SetMetadata('roles', ['admin']) as unknown as Dual
    @guarded
    @Controller('written')
    class Written {
      @tagged
      @Get()
      @guarded
      list() {}
    }
    expect((await codesOf(Written)).sort()).toEqual([
      'E_FOREIGN_DECORATOR Written',
      'E_FOREIGN_DECORATOR Written.list',
      'E_FOREIGN_DECORATOR Written.list',
    ])
  })

  it('is reported together with problems of other kinds', async () => {
    @Controller('users')
    class Users {
      @Get() list() {}
      @Get() again() {}
      @Auth() orphan() {}
    }
    decorate(Users, null, nest.UseGuards(JwtGuard))
    decorate(Users, 'list', nest.UsePipes(TrimPipe))
    const providers = [{ provide: APP_GUARD, useClass: JwtGuard }]
    expect((await codesOf(Users, { providers })).sort()).toEqual([
      'E_DECORATOR_ORPHAN Users.orphan',
      'E_FOREIGN_DECORATOR Users',
      'E_FOREIGN_DECORATOR Users.list',
      'E_FOREIGN_PROVIDER APP_GUARD',
      'E_ROUTE_DUPLICATE Users.again',
    ])
  })

  it('is detected even after the document was read', async () => {
    const target = makeController()
    decorate(target, 'list', nest.UseGuards(JwtGuard))
    const app = new App({ controllers: [target], logger: false })
    expect(app.document.paths).toHaveProperty(['/users'])
    await expect(app.init()).rejects.toThrow('E_FOREIGN_DECORATOR')
    expect(() => app.document).toThrow('E_FOREIGN_DECORATOR')
  })

  it('is detected by a TestApp even if an earlier application used the class without it', async () => {
    const target = makeController()
    const app = await TestApp.create({ controllers: [target] })
    await app.close()
    decorate(target, 'list', nest.UseGuards(JwtGuard))
    await expect(TestApp.create({ controllers: [target] })).rejects.toThrow('E_FOREIGN_DECORATOR')
  })
})

describe('routes and parameters of NestJS', () => {
  it('cause errors on a Blazon controller, with the correct import as the remedy', async () => {
    const target = makeController()
    decorate(target, 'helper', nest.Post(':id'))
    decorateParameter(target, 'list', 0, nest.Query('page', TrimPipe))
    const problems = await problemsOf(target)
    expect(problems.map(({ subject }) => subject)).toEqual([
      'UsersController.list',
      'UsersController.helper',
    ])
    expect(problems[0]?.cause).toContain('@Query() of NestJS on parameter 0')
    expect(problems[1]?.cause).toContain('@Post() of NestJS')
    expect(problems[1]?.remedy).toContain('blazon')
  })

  it.each([
    ['@HttpCode()', nest.HttpCode(202)],
    ['@Header()', nest.Header('X-A', 'b')],
    ['@Redirect()', nest.Redirect('/x')],
    ['@Render()', nest.Render('page')],
    ['@Version()', nest.Version('2')],
  ])('cause an error: %s', async (written, decorator) => {
    const target = makeController()
    decorate(target, 'list', decorator)
    const [problem] = await problemsOf(target)
    expect(problem).toMatchObject({ code: 'E_FOREIGN_DECORATOR', subject: 'UsersController.list' })
    expect(problem?.cause).toContain(`${written} of NestJS`)
  })

  it('cause one error for server-sent events', async () => {
    const target = makeController()
    decorate(target, 'helper', nest.Sse('events'))
    const problems = await problemsOf(target)
    expect(problems.map(({ cause }) => cause)).toEqual([
      expect.stringContaining('@Sse() of NestJS'),
    ])
  })

  it('cause an error if createParamDecorator() has created them', async () => {
    const target = makeController()
    decorateParameter(target, 'list', 0, nest.createParamDecorator(() => 1)())
    const [problem] = await problemsOf(target)
    expect(problem?.cause).toContain('createParamDecorator() of NestJS on parameter 0')
    expect(problem?.remedy).toContain('@CurrentUser()')
  })

  it('cause one error for each of several parameters of a method', async () => {
    const target = makeController()
    const Caller = nest.createParamDecorator(() => 1)
    decorateParameter(target, 'list', 0, nest.Body())
    decorateParameter(target, 'list', 1, nest.Body())
    decorateParameter(target, 'helper', 0, Caller())
    decorateParameter(target, 'helper', 2, Caller())
    const problems = await problemsOf(target)
    expect(
      problems.map(({ subject, cause }) => `${subject} ${/parameter \d/.exec(cause)?.[0]}`).sort(),
    ).toEqual([
      'UsersController.helper parameter 0',
      'UsersController.helper parameter 2',
      'UsersController.list parameter 0',
      'UsersController.list parameter 1',
    ])
  })

  it('are reported as NestJS decorators if their class has no Blazon decorators', async () => {
    class CatsController {
      list() {}
    }
    decorate(CatsController, null, nest.Controller({ path: 'cats', version: '1' }))
    decorate(CatsController, 'list', nest.Get())
    expect(await codesOf(CatsController)).toEqual([
      'E_FOREIGN_DECORATOR CatsController',
      // The option version is a problem of its own, with another remedy.
      'E_FOREIGN_DECORATOR CatsController',
      'E_FOREIGN_DECORATOR CatsController.list',
    ])
  })
})

describe('unknown metadata', () => {
  it('causes a warning if it has a key of NestJS but a value that NestJS never writes', async () => {
    const target = makeController()
    for (const key of ['__headers__', '__redirect__', 'self:paramtypes', 'method', 'path']) {
      decorate(target, 'list', nest.SetMetadata(key, null))
    }
    const warnings = await bootWarnings({ controllers: [target] })
    expect(warnings.map(({ code }) => code)).toEqual(Array(5).fill('W_FOREIGN_METADATA'))
  })

  it('causes one warning for each key, which lists all classes and methods', async () => {
    const target = makeController()
    decorate(target, null, nest.SetMetadata('audit', 'users'))
    decorate(target, 'list', nest.SetMetadata('audit', 'list'), nest.SetMetadata(Symbol('s'), 1))
    const warnings = await bootWarnings({ controllers: [target] })
    expect(warnings.map(({ code }) => code)).toEqual(['W_FOREIGN_METADATA', 'W_FOREIGN_METADATA'])
    expect(warnings[0]?.text).toContain('UsersController, UsersController.list')
    expect(warnings[0]?.text).toContain("'audit'")
    expect(warnings[1]?.text).toContain('Symbol(s)')
    expect((await codesOf(target, { strict: true })).length).toBe(2)
  })

  it.each(['swagger/apiOperation', 'swagger/apiSecurity'])(
    'causes a warning that mentions @ApiOperation if its key is from @nestjs/swagger: %s',
    async (key) => {
      const target = makeController()
      decorate(target, 'list', nest.SetMetadata(key, { summary: 'x' }))
      const [warning] = await bootWarnings({ controllers: [target] })
      expect(warning?.code).toBe('W_FOREIGN_METADATA')
      expect(warning?.text).toContain('@ApiOperation')
    },
  )

  it('causes no warning if a plugin lists the key in metadataKeys', async () => {
    const target = makeController()
    decorate(target, 'list', nest.SetMetadata('roles', ['admin']), nest.SetMetadata('audit', 1))
    const plugins = [{ name: 'roles', metadataKeys: ['roles', 'audit'] }]
    expect(await bootWarnings({ controllers: [target], plugins, strict: true })).toEqual([])
  })

  it('causes no warning if it is written by compilers', async () => {
    const target = makeController()
    Reflect.defineMetadata('design:paramtypes', [Object], target.prototype, 'list')
    Reflect.defineMetadata('design:type', Function, target.prototype, 'list')
    Reflect.defineMetadata('design:paramtypes', [], target)
    expect(await bootWarnings({ controllers: [target], strict: true })).toEqual([])
  })

  it('is ignored if Reflect has no metadata methods', async () => {
    const target = makeController()
    decorate(target, 'list', nest.UseGuards(JwtGuard))
    const store = Reflect as { getOwnMetadataKeys?: unknown }
    const { getOwnMetadataKeys } = store
    delete store.getOwnMetadataKeys
    try {
      expect(await bootWarnings({ controllers: [target], strict: true })).toEqual([])
    } finally {
      store.getOwnMetadataKeys = getOwnMetadataKeys
    }
  })
})
