import {
  Clock,
  Controller,
  defineOption,
  Get,
  Injectable,
  inject,
  type Module,
  type Plugin,
} from 'blazon'
import type { PluginContext } from 'blazon/plugin'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { bootProblems } from '../../support.js'

const Every = defineOption<number, 'method'>('Every', {
  on: 'method',
  anywhere: true,
  check: (seconds) => (seconds > 0 ? undefined : 'It is not a positive number of seconds.'),
})
const Topic = defineOption<string>('Topic', { anywhere: true })
const Internal = defineOption('Internal')

const ran: string[] = []

/** A scheduler as a package of other people would write it. */
const scheduler = (): Plugin => {
  const timers: { cancel(): void }[] = []
  return {
    name: 'scheduler',
    setup({ find, get }) {
      const clock = get(Clock)
      for (const { value, call } of find(Every)) {
        timers.push(clock.setInterval(() => void call(), value * 1000))
      }
    },
    onClose() {
      for (const timer of timers) timer.cancel()
    },
  }
}

class Counter {
  count = 0
}

@Injectable()
class Reports {
  readonly counter = inject(Counter)

  @Every(60)
  send() {
    ran.push(`sent ${++this.counter.count}`)
  }

  @Every(90)
  async tidy() {
    ran.push('tidied')
  }
}

@Topic('orders')
@Controller('orders')
class Orders {
  @Get()
  list() {
    return []
  }

  @Topic('paid')
  onPaid(order: string) {
    return `paid ${order}`
  }
}

class Special extends Orders {
  override onPaid(order: string) {
    return `specially ${super.onPaid(order)}`
  }
}

const collecting = (into: { context?: PluginContext }): Plugin => ({
  name: 'collecting',
  setup(context) {
    into.context = context
  },
})

describe('a plugin', () => {
  it('finds decorated methods of providers, and calls them on their instances', async () => {
    ran.length = 0
    const options = { providers: [Counter, Reports], plugins: [scheduler()] }
    const app = await TestApp.create(options)
    await app.clock.advance('3m')
    expect(ran).toEqual(['sent 1', 'tidied', 'sent 2', 'sent 3', 'tidied'])
    await app.close()
    await app.clock.advance('3m').catch(() => {})
    expect(ran).toHaveLength(5)
  })

  it('finds decorated classes and methods of controllers, with their modules', async () => {
    const seen: { context?: PluginContext } = {}
    const orders: Module = { name: 'orders', controllers: [Orders] }
    const root: Module = { imports: [orders] }
    await using _ = await TestApp.create({ modules: [root], plugins: [collecting(seen)] })
    const found = seen.context?.find(Topic) ?? []
    expect(found.map(({ method, module, value }) => [method, module, value])).toEqual([
      [null, 'orders', 'orders'],
      ['onPaid', 'orders', 'paid'],
    ])
    expect(found[1]?.instance).toBe(seen.context?.get(Orders))
    expect(found[1]?.call('7')).toBe('paid 7')
    expect(() => found[0]?.call()).toThrow('The option is on the class')
    expect(Object.isFrozen(found[0])).toBe(true)
  })

  it('finds the first module with a name that lists a class, even in modules that import each other', async () => {
    const seen: { context?: PluginContext } = {}
    const provider = { token: 'reports', useClass: Reports }
    const imports: Module[] = []
    const unnamed: Module = { imports, providers: [Counter] }
    const reports: Module = {
      name: 'reports',
      imports: [unnamed],
      providers: [Counter, provider],
      controllers: [Orders],
    }
    const later: Module = { name: 'later', controllers: [Orders] }
    imports.push(reports)
    const modules = [unnamed, later]
    await using _ = await TestApp.create({ modules, plugins: [collecting(seen)] })
    const found = [...(seen.context?.find(Every) ?? []), ...(seen.context?.find(Topic) ?? [])]
    expect(found.map(({ method, module }) => [method, module])).toEqual([
      ['send', 'reports'],
      ['tidy', 'reports'],
      [null, 'reports'],
      ['onPaid', 'reports'],
    ])
  })

  it('finds inherited options, and calls the overriding method', async () => {
    const seen: { context?: PluginContext } = {}
    await using _ = await TestApp.create({ controllers: [Special], plugins: [collecting(seen)] })
    const found = seen.context?.find(Topic) ?? []
    expect(found.map(({ method, module }) => [method, module])).toEqual([
      [null, null],
      ['onPaid', null],
    ])
    expect(found[1]?.call('7')).toBe('specially paid 7')
  })

  it('finds no uses of another option, and no uses in another application', async () => {
    const [one, two]: { context?: PluginContext }[] = [{}, {}]
    await using _1 = await TestApp.create({
      providers: [Counter, Reports],
      plugins: [collecting(one ?? {})],
    })
    await using _2 = await TestApp.create({
      controllers: [Orders],
      plugins: [collecting(two ?? {})],
    })
    expect(one?.context?.find(Every)).toHaveLength(2)
    expect(one?.context?.find(Topic)).toEqual([])
    expect(two?.context?.find(Every)).toEqual([])
  })
})

describe('the boot check of options', () => {
  it('refuses a route option that is on a method of a provider', async () => {
    class Wrong {
      @Internal()
      run() {}
    }
    const [problem] = await bootProblems({ providers: [Wrong] })
    expect(problem).toMatchObject({ code: 'E_DECORATOR_ORPHAN', subject: 'Wrong' })
  })

  it('refuses a route option that is on a controller method without a route', async () => {
    @Controller('a')
    class Wrong {
      @Get()
      get() {}

      @Internal()
      @Topic('x')
      run() {}
    }
    const [problem] = await bootProblems({ controllers: [Wrong] })
    expect(problem).toMatchObject({ code: 'E_DECORATOR_ORPHAN', subject: 'Wrong.run' })
  })

  it('refuses an invalid option value on a method of a provider', async () => {
    class Wrong {
      @Every(0)
      run() {}
    }
    const [problem] = await bootProblems({ providers: [Wrong] })
    expect(problem).toMatchObject({
      code: 'E_OPTION_INVALID',
      subject: 'Wrong.run @Every',
      cause: 'It is not a positive number of seconds.',
    })
  })
})
