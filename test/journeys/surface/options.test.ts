import {
  Cache,
  Controller,
  defineOption,
  Get,
  Head,
  type Interceptor,
  type Plugin,
  Post,
  RateLimit,
  type Request,
  type RouteModel,
} from 'blazon'
import { cacheOf, rateLimitsOf } from 'blazon/plugin'
import { TestApp, type TestOptions } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { bootProblems, bootWarnings } from '../../support.js'

interface AuditValue {
  readonly action: string
  readonly fields?: readonly string[]
}
const Audit = defineOption<AuditValue>('Audit', {
  check: ({ action }) => (action === '' ? 'Its action is empty.' : undefined),
})
const Topic = defineOption<string, 'both'>('Topic', { merge: 'list' })
const Internal = defineOption('Internal', { on: 'method' })

@Audit({ action: 'orders' })
@Topic('sales')
@Controller('orders')
class Orders {
  @Get()
  list() {
    return []
  }

  @Audit({ action: 'order.pay', fields: ['total'] })
  @Topic('money')
  @Topic('risk')
  @Internal()
  @Post('payments')
  pay() {
    return 'paid'
  }
}

@Audit({ action: 'returns' })
@Topic('returns')
@Controller('returns')
class Returns extends Orders {
  @Topic('refunds')
  override pay() {
    return 'refunded'
  }
}

/** Starts the application, and returns its routes by name. */
async function routesOf(options: TestOptions): Promise<Record<string, RouteModel>> {
  const found: Record<string, RouteModel> = {}
  const collect: Plugin = {
    name: 'collect',
    steps(route) {
      found[route.name] = route
      return null
    },
  }
  await using _ = await TestApp.create({ plugins: [collect], ...options })
  return found
}

describe('the method route.option()', () => {
  it('returns the value of the method, or else the value of the class', async () => {
    const routes = await routesOf({ controllers: [Orders] })
    expect(routes['Orders.list']?.option(Audit)?.action).toBe('orders')
    expect(routes['Orders.pay']?.option(Audit)).toEqual({ action: 'order.pay', fields: ['total'] })
  })

  it('returns the values of class and method in source order, if the option merges them to a list', async () => {
    const routes = await routesOf({ controllers: [Orders] })
    expect(routes['Orders.list']?.option(Topic)).toEqual(['sales'])
    expect(routes['Orders.pay']?.option(Topic)).toEqual(['sales', 'money', 'risk'])
  })

  it('returns true for a decorator without an argument, and undefined without the decorator', async () => {
    const routes = await routesOf({ controllers: [Orders] })
    expect(routes['Orders.pay']?.option(Internal)).toBe(true)
    expect(routes['Orders.list']?.option(Internal)).toBeUndefined()
  })

  it('prefers the values of a subclass to the values of its base class', async () => {
    const routes = await routesOf({ controllers: [Returns] })
    expect(routes['Returns.list']?.option(Audit)).toEqual({ action: 'returns' })
    expect(routes['Returns.list']?.option(Topic)).toEqual(['returns', 'sales'])
    // An override keeps the decorators of the original method, except for those that it has itself.
    expect(routes['Returns.pay']?.option(Audit)?.action).toBe('order.pay')
    expect(routes['Returns.pay']?.option(Topic)).toEqual(['returns', 'sales', 'refunds'])
  })

  it('does not return the value of another option with the same name', async () => {
    const Copy = defineOption<AuditValue>('Audit')
    const routes = await routesOf({ controllers: [Orders] })
    expect(routes['Orders.pay']?.option(Copy)).toBeUndefined()
  })

  it('returns frozen data, but does not freeze class instances', async () => {
    const Schema = defineOption<{ readonly since: Date; readonly tags: string[] }>('Schema')
    const since = new Date(0)
    @Controller('notes')
    class Notes {
      @Schema({ since, tags: ['a'] })
      @Get()
      list() {}
    }
    const routes = await routesOf({ controllers: [Notes] })
    const value = routes['Notes.list']?.option(Schema)
    expect(Object.isFrozen(value)).toBe(true)
    expect(Object.isFrozen(value?.tags)).toBe(true)
    expect(value?.since).toBe(since)
    expect(Object.isFrozen(since)).toBe(false)
  })

  it('returns frozen data without a prototype, of an option that cannot be changed', async () => {
    const Plain = defineOption<{ tags: string[] }>('Plain')
    expect(() => Object.assign(Plain, { optionName: 'Other' })).toThrow(TypeError)
    @Controller('notes')
    class Notes {
      @Plain(Object.assign(Object.create(null), { tags: ['a'] }))
      @Get()
      list() {}
    }
    const value = (await routesOf({ controllers: [Notes] }))['Notes.list']?.option(Plain)
    expect([Object.isFrozen(value), Object.isFrozen(value?.tags)]).toEqual([true, true])
  })

  it('freezes the inner data of a value that is already frozen and refers to itself', async () => {
    interface Tree {
      readonly tags: string[]
      self?: Tree
    }
    const Node = defineOption<Tree>('Node')
    const tree: Tree = { tags: ['a'] }
    tree.self = tree
    @Controller('notes')
    class Notes {
      @Node(Object.freeze(tree))
      @Get()
      list() {}
    }
    const routes = await routesOf({ controllers: [Notes] })
    expect(Object.isFrozen(routes['Notes.list']?.option(Node)?.tags)).toBe(true)
  })

  it('returns a function that was passed as the value', async () => {
    const Name = defineOption<(id: number) => string>('Name')
    @Controller('notes')
    class Notes {
      @Name((id) => `note ${id}`)
      @Get()
      list() {}
    }
    const routes = await routesOf({ controllers: [Notes] })
    expect(routes['Notes.list']?.option(Name)?.(7)).toBe('note 7')
  })

  it('cannot be changed if it is a list of values', async () => {
    const routes = await routesOf({ controllers: [Orders] })
    const values = routes['Orders.pay']?.option(Topic) as string[]
    expect(() => values.push('more')).toThrow(TypeError)
  })

  it('is supplemented by route.options, a list of all values that can be cloned', async () => {
    const routes = await routesOf({ controllers: [Orders] })
    expect(structuredClone(routes['Orders.pay']?.options)).toEqual([
      { name: 'Audit', value: { action: 'order.pay', fields: ['total'] }, isOfClass: false },
      { name: 'Topic', value: ['sales', 'money', 'risk'], isOfClass: false },
      { name: 'Internal', value: true, isOfClass: false },
    ])
    expect(routes['Orders.list']?.options).toEqual([
      { name: 'Audit', value: { action: 'orders' }, isOfClass: true },
      { name: 'Topic', value: ['sales'], isOfClass: true },
    ])
  })
})

describe('an option in a wrong position', () => {
  it('causes a boot error if it is on a method that is not a route', async () => {
    @Controller('notes')
    class Notes {
      @Get()
      list() {}

      @Audit({ action: 'helper' })
      helper() {}
    }
    const [problem] = await bootProblems({ controllers: [Notes] })
    expect(problem).toMatchObject({ code: 'E_DECORATOR_ORPHAN', subject: 'Notes.helper' })
  })

  it('causes an immediate error if it is on a class instead of a method, or the reverse', () => {
    const onClass = () => {
      // @ts-expect-error The option is for methods.
      @Internal()
      @Controller('notes')
      class Notes {}
      return Notes
    }
    const Section = defineOption<string, 'class'>('Section', { on: 'class' })
    const onMethod = () => {
      class Notes {
        // @ts-expect-error The option is for classes.
        @Section('a')
        @Get()
        list() {}
      }
      return Notes
    }
    expect(onClass).toThrow('@Internal() is on class Notes')
    expect(onMethod).toThrow('@Section() is on')
  })

  it('causes an immediate error if it has no parentheses on a method', () => {
    const bare = () => {
      class Notes {
        // @ts-expect-error A decorator without parentheses would never take effect.
        @Internal
        @Get()
        list() {}
      }
      return Notes
    }
    expect(bare).toThrow(/@Internal was given list|@Internal is written without parentheses/)
  })

  it('causes an immediate error if it has no parentheses on a class', () => {
    const Flag = defineOption('Flag')
    const bare = () => {
      @Controller('notes')
      // @ts-expect-error A decorator without parentheses would never take effect.
      @Flag
      class Notes {}
      return Notes
    }
    expect(bare).toThrow('parentheses')
  })

  it('causes a boot error if it occurs twice on one method', async () => {
    @Controller('notes')
    class Notes {
      @Audit({ action: 'a' })
      @Audit({ action: 'b' })
      @Get()
      list() {}
    }
    const [problem] = await bootProblems({ controllers: [Notes] })
    expect(problem).toMatchObject({ code: 'E_DECORATOR_CONFLICT', subject: 'Notes.list' })
    expect(problem?.cause).toContain('It has 2 @Audit')
  })
})

describe('the value of an option', () => {
  it.each([
    ['a class', 'class'],
    ['a method', 'method'],
  ])('is checked at boot if the option is on %s', async (_, place) => {
    const onClass = place === 'class'
    @Audit({ action: onClass ? '' : 'a' })
    @Controller('notes')
    class Notes {
      @Audit({ action: onClass ? 'a' : '' })
      @Get()
      list() {}

      @Head()
      head() {}
    }
    const problems = await bootProblems({ controllers: [Notes] })
    expect(problems).toEqual([
      {
        code: 'E_OPTION_INVALID',
        subject: onClass ? 'Notes @Audit' : 'Notes.list @Audit',
        cause: 'Its action is empty.',
        remedy: 'Correct the argument of @Audit(…).',
      },
    ])
  })
})

describe('a value for which the check function of the option throws', () => {
  it('causes a boot error with the message of the check function', async () => {
    @Controller('notes')
    class Notes {
      @Audit(undefined as never)
      @Get()
      list() {}
    }
    const [problem] = await bootProblems({ controllers: [Notes] })
    expect(problem).toMatchObject({ code: 'E_OPTION_INVALID', subject: 'Notes.list @Audit' })
    expect(problem?.cause).toMatch(/^Its check failed: Cannot destructure/)
  })
})

describe('the function defineOption()', () => {
  it('refuses an unknown `on` or `merge`', () => {
    expect(() => defineOption('A', { on: 'field' as never })).toThrow(/`on` must be 'class'/)
    expect(() => defineOption('A', { merge: 'lists' as never })).toThrow(
      /`merge` must be 'override'/,
    )
  })

  it('refuses an option without a name', () => {
    expect(() => defineOption('')).toThrow('defineOption(): the name is missing')
  })
})

describe('an interceptor', () => {
  it('can read the options of the matched route in req.route', async () => {
    const seen: unknown[] = []
    const reading: Interceptor = {
      intercept(req: Request, next) {
        const route: RouteModel = req.route
        seen.push([route.handler, route.option(Audit)?.action, route.option(Internal)])
        return next()
      },
    }
    await using app = await TestApp.create({ controllers: [Orders], interceptors: [reading] })
    await app.request().get('/orders').expect(200)
    await app.request().post('/orders/payments').expect(200)
    expect(seen).toEqual([
      ['list', 'orders', undefined],
      ['pay', 'order.pay', true],
    ])
  })
})

describe('the mistakes that the check function of an option returns', () => {
  const Retried = defineOption<{ readonly times: number; readonly pause: number }>('Retried', {
    check: ({ times, pause }) => [
      ...(times > 0
        ? []
        : [{ subject: 'times', cause: `It is ${times}.`, remedy: 'Pass 1 or more.' }]),
      ...(pause < 60
        ? []
        : [{ code: 'W_RETRY_SLOW', cause: 'It waits long.', remedy: 'Pass less.' }]),
    ],
  })

  function controllerOf(value: { times: number; pause: number }) {
    @Controller()
    class Jobs {
      @Retried(value)
      @Get()
      run() {}
    }
    return Jobs
  }

  it('become boot errors or warnings, each with its subject, code and remedy', async () => {
    const problems = await bootProblems({ controllers: [controllerOf({ times: 0, pause: 90 })] })
    expect(problems).toEqual([
      {
        code: 'E_OPTION_INVALID',
        subject: 'Jobs.run @Retried times',
        cause: 'It is 0.',
        remedy: 'Pass 1 or more.',
      },
    ])
    const [warning, ...others] = await bootWarnings({
      controllers: [controllerOf({ times: 1, pause: 90 })],
    })
    expect(warning?.code).toBe('W_RETRY_SLOW')
    expect(warning?.text).toMatch(/Jobs\.run @Retried\s+It waits long\.\s+Pass less\./)
    expect(others).toEqual([])
  })

  it('can be an empty list', async () => {
    expect(await bootWarnings({ controllers: [controllerOf({ times: 1, pause: 1 })] })).toEqual([])
  })
})

it('a plugin can read the values of @Cache and @RateLimit, and whether they are on the class', async () => {
  const limit = { limit: 5, window: '1m' } as const

  @RateLimit(limit)
  @Controller('read')
  class Read {
    @Cache({ ttl: '1m', tags: ['a'] })
    @Get('cached')
    cached() {}

    @Get('own', { cache: { ttl: 0 }, rateLimit: [limit, { ...limit, name: 'b' }] })
    own() {}

    @RateLimit(false)
    @Post('free')
    free() {}
  }
  const routes = await routesOf({ controllers: [Read] })
  const valuesOf = (name: string) => {
    const route = routes[`Read.${name}`] as RouteModel
    return [cacheOf(route), rateLimitsOf(route)]
  }
  expect(valuesOf('cached')).toEqual([
    { ttl: '1m', tags: ['a'] },
    { policies: [limit], isOfClass: true },
  ])
  expect(valuesOf('own')).toEqual([
    { ttl: 0 },
    { policies: [limit, { ...limit, name: 'b' }], isOfClass: false },
  ])
  expect(valuesOf('free')).toEqual([undefined, { policies: [], isOfClass: false }])
})
