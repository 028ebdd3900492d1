import { type Class, Controller, Get, Post } from 'blazon'
import * as rc from 'routing-controllers'
import { describe, expect, it } from 'vitest'
import { bootProblems, bootWarnings } from '../../support.js'
import { decorate, decorateParameter } from './foreign.js'

class Log {
  use() {}
}

function makeController(): Class {
  @Controller('users')
  class UsersController {
    @Get() list(_first?: unknown) {
      return []
    }
  }
  return UsersController
}

async function linesOf(...controllers: Class[]): Promise<string[]> {
  const problems = await bootProblems({ controllers })
  return problems.map(({ code, subject }) => `${code} ${subject}`)
}

describe('a routing-controllers decorator that has no effect here', () => {
  it.each([
    ["the decorator 'authorized'", rc.Authorized(['admin']), '@Can'],
    ["the decorator 'authorized'", rc.Authorized(), '@Auth()'],
    ['@UseBefore or @UseAfter', rc.UseBefore(Log), '@Use('],
    ['@UseBefore or @UseAfter', rc.UseAfter(Log), '@Use('],
    ['@UseInterceptor', rc.UseInterceptor(Log), 'intercept'],
  ])('causes an error on a class and on a method: %s', async (written, decorator, remedy) => {
    const byClass = makeController()
    decorate(byClass, null, decorator)
    const byMethod = makeController()
    decorate(byMethod, 'list', decorator)
    const problems = await bootProblems({ controllers: [byClass] })
    const more = await bootProblems({ controllers: [byMethod] })
    expect([problems.length, more.length]).toEqual([1, 1])
    expect(problems[0]).toMatchObject({ code: 'E_FOREIGN_DECORATOR', subject: 'UsersController' })
    expect(more[0]?.subject).toBe('UsersController.list')
    for (const { cause, remedy: written2 } of [...problems, ...more]) {
      expect(cause).toContain(`${written} of routing-controllers`)
      expect(written2).toContain(remedy)
    }
  })

  it('is detected in base classes', async () => {
    class Base {
      @Get('x') inherited() {}
    }
    decorate(Base, 'inherited', rc.Authorized())
    @Controller()
    class Derived extends Base {}
    expect(await linesOf(Derived)).toEqual(['E_FOREIGN_DECORATOR Derived.inherited'])
  })

  it('is detected if the compiler has applied it, in both dialects', async () => {
    const authorized = rc.Authorized('admin') as (...args: unknown[]) => void
    @authorized
    @Controller()
    class Written {
      @authorized
      @Post()
      create() {}
    }
    expect((await linesOf(Written)).sort()).toEqual([
      'E_FOREIGN_DECORATOR Written',
      'E_FOREIGN_DECORATOR Written.create',
    ])
  })
})

describe('routes and parameters of routing-controllers', () => {
  it('cause errors on a Blazon controller', async () => {
    const target = makeController()
    decorate(target, 'list', rc.Get('/x'), rc.HttpCode(201), rc.Render('page'))
    decorateParameter(target, 'list', 0, rc.QueryParam('page'))
    const problems = await bootProblems({ controllers: [target] })
    expect(new Set(problems.map(({ subject }) => subject))).toEqual(
      new Set(['UsersController.list']),
    )
    const causes = problems.map(({ cause }) => cause).join('\n')
    for (const each of ['get', 'success-code', 'rendered-template', 'query']) {
      expect(causes).toContain(`the decorator '${each}' of routing-controllers`)
    }
  })

  it('are reported as routing-controllers decorators on a class without Blazon decorators', async () => {
    class Cats {
      list() {}
    }
    decorate(Cats, null, rc.JsonController('/cats'))
    decorate(Cats, 'list', rc.Get())
    expect(await linesOf(Cats)).toEqual([
      'E_FOREIGN_DECORATOR Cats',
      'E_FOREIGN_DECORATOR Cats.list',
    ])
  })

  it('are ignored on classes that are not controllers of the application', async () => {
    class Elsewhere {
      list() {}
    }
    decorate(Elsewhere, null, rc.JsonController('/cats'), rc.Authorized())
    expect(await bootWarnings({ controllers: [makeController()], strict: true })).toEqual([])
  })
})

describe('global middlewares and interceptors of routing-controllers', () => {
  it('cause errors if they are providers', async () => {
    class Everywhere extends Log {}
    decorate(Everywhere, null, rc.Middleware({ type: 'before' }))
    class Around {
      intercept() {}
    }
    decorate(Around, null, rc.Interceptor())
    const options = { controllers: [makeController()], providers: [Everywhere, Around] }
    const problems = await bootProblems(options)
    expect(problems.map(({ code, subject }) => `${code} ${subject}`)).toEqual([
      'E_FOREIGN_DECORATOR Everywhere',
      'E_FOREIGN_DECORATOR Around',
    ])
  })
})
