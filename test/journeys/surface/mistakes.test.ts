import { Auth, Controller, defineOption, Get, type Plugin } from 'blazon'
import { describe, expect, it } from 'vitest'
import { bootProblems } from '../../support.js'

const Confirmed = defineOption('Confirmed', { on: 'method' })

const confirmation: Plugin = {
  name: 'confirmation',
  check(route) {
    if (route.option(Confirmed) === undefined || route.isProtected) return null
    return [{ cause: 'It has @Confirmed(), but the route is public.', remedy: 'Add @Auth().' }]
  },
}

@Controller('orders')
class OrdersController {
  @Confirmed()
  @Get()
  list() {
    return []
  }

  @Confirmed()
  @Auth()
  @Get('mine')
  mine() {
    return []
  }
}

const problemsWith = (plugin: Plugin, options = {}) =>
  bootProblems({ controllers: [OrdersController], plugins: [plugin], ...options })

describe('the check method of a plugin', () => {
  it('returns problems that appear together with all other boot errors', async () => {
    const problems = await problemsWith(confirmation, { limits: { depth: -1 } })
    expect(problems).toContainEqual({
      code: 'E_PLUGIN_CHECK',
      subject: "OrdersController.list, plugin 'confirmation'",
      cause: 'It has @Confirmed(), but the route is public.',
      remedy: 'Add @Auth().',
    })
    expect(problems.map(({ code }) => code).sort()).toEqual(['E_OPTION_INVALID', 'E_PLUGIN_CHECK'])
  })

  it('is not called for a route whose decorators have errors', async () => {
    const Amount = defineOption<{ most: number }>('Amount', {
      check: (value) => (typeof value?.most === 'number' ? undefined : 'It has no number.'),
    })
    @Controller('amounts')
    class Amounts {
      @Amount(null as never)
      @Get()
      list() {
        return []
      }
    }
    // A value of another type would make it throw.
    const check: Plugin['check'] = (route) =>
      (route.option(Amount) ?? { most: 0 }).most > 5
        ? [{ cause: 'It has too many.', remedy: 'Lower it.' }]
        : null
    const problems = await bootProblems({
      controllers: [Amounts],
      plugins: [{ name: 'amounts', check }],
    })
    expect(problems.map(({ cause }) => cause)).toEqual(['It has no number.'])
  })

  it('is not called for a route whose class, or whose base class, has decorators with errors', async () => {
    const Amount = defineOption<number>('Amount', {
      check: (value) => (typeof value === 'number' ? undefined : 'It is not a number.'),
    })
    @Amount('many' as never)
    @Controller('wrong')
    class Wrong {
      @Get()
      list() {
        return []
      }
    }
    class Base {
      @Amount('few' as never)
      @Get('inherited')
      inherited() {
        return []
      }
    }
    @Controller('right')
    class Right extends Base {
      @Get()
      list() {
        return []
      }
    }
    const checked: string[] = []
    const check: Plugin['check'] = ({ name }) => {
      checked.push(name)
      return null
    }
    const options = { controllers: [Wrong, Right], plugins: [{ name: 'amounts', check }] }
    const problems = await bootProblems(options)
    expect(problems.map(({ cause }) => cause)).toEqual(Array(2).fill('It is not a number.'))
    expect([...new Set(checked)]).toEqual(['Right.list'])
  })

  it('causes a boot error if only one of its problems is wrong, and no error if its list is empty', async () => {
    const right = { cause: 'It is wrong.', remedy: 'Correct it.' }
    const check = (route: { name: string }) =>
      route.name.endsWith('mine') ? [] : [right, { cause: 'It has no remedy.' }]
    const problems = await problemsWith({ name: 'broken', check: check as never })
    expect(problems.map(({ subject }) => subject)).toEqual([
      "plugin 'broken' check(OrdersController.list)",
    ])
  })

  it.each([
    ['a promise', async () => []],
    ['a string', () => 'wrong'],
    ['a mistake without a remedy', () => [{ cause: 'It is wrong.' }]],
  ])('causes a boot error if it returns %s', async (_name, check) => {
    const [problem] = await problemsWith({ name: 'broken', check: check as never })
    expect(problem?.subject).toBe("plugin 'broken' check(OrdersController.list)")
    expect(problem?.cause).toBe('It did not return a list of problems.')
  })
})
