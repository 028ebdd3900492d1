import { App, Injectable, inject, type Plugin } from 'blazon'
import { TestApp } from 'blazon/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { gate } from '../gate.js'
import { turns } from '../turns.js'

let log: string[]
beforeEach(() => {
  log = []
})

function hooks(name: string) {
  return {
    onInit: async () => void log.push(`init ${name}`),
    onReady: async () => void log.push(`ready ${name}`),
    onClose: async (signal?: string) => void log.push(`close ${name}${signal ? ` ${signal}` : ''}`),
  }
}

class Database {
  onInit = hooks('database').onInit
  onReady = hooks('database').onReady
  onClose = hooks('database').onClose
}

class Service {
  readonly database = inject(Database)
  onInit = hooks('service').onInit
  onClose = hooks('service').onClose
}

describe('the lifecycle of providers', () => {
  it('starts dependencies first, then guards and plugins, and closes in reverse order', async () => {
    const plugin: Plugin = { name: 'plugin', ...hooks('plugin') }
    const canActivate = () => true
    const guard = { canActivate, forApplication: () => ({ canActivate, ...hooks('guard') }) }
    const app = await App.create({
      providers: [Service, Database],
      plugins: [plugin],
      auth: { guard },
    })
    const started = [
      'init database',
      'init service',
      'init guard',
      'init plugin',
      'ready database',
      'ready guard',
      'ready plugin',
    ]
    expect(log).toEqual(started)
    await app.close('SIGTERM')
    expect(log.slice(started.length)).toEqual([
      'close plugin SIGTERM',
      'close guard SIGTERM',
      'close service SIGTERM',
      'close database SIGTERM',
    ])
  })

  it('calls the hooks of an object that a factory returns, but not of a `useValue` object', async () => {
    const app = await App.create({
      providers: [
        { token: 'factory', useFactory: async () => hooks('factory') },
        { token: 'value', useValue: hooks('value') },
      ],
    })
    await app.close()
    expect(log).toEqual(['init factory', 'ready factory', 'close factory'])
  })

  it('closes all providers even if one of them fails, and then rejects with the error', async () => {
    const failing = {
      token: 'failing',
      useFactory: () => ({
        onClose: () => {
          throw new Error('stuck')
        },
      }),
    }
    const app = await App.create({ providers: [Database, failing] })
    await expect(app.close()).rejects.toMatchObject({ errors: [{ message: 'stuck' }] })
    expect(log).toContain('close database')
  })

  it('closes the object of a factory when a later provider fails', async () => {
    const pool = {
      token: 'pool',
      useFactory: async () => ({ onClose: () => log.push('close pool') }),
    }
    class Broken {
      readonly pool = inject('pool')
      constructor() {
        throw new Error('no')
      }
    }
    await expect(App.create({ providers: [pool, Broken] })).rejects.toThrow('no')
    expect(log).toEqual(['close pool'])
  })

  it('closes the plugins whose setup has begun, also the one that fails', async () => {
    const first: Plugin = { name: 'first', setup() {}, onClose: () => log.push('close first') }
    const failing: Plugin = {
      name: 'failing',
      setup() {
        throw new Error('no')
      },
      onClose: () => log.push('close failing'),
    }
    const never: Plugin = { name: 'never', onClose: () => log.push('close never') }
    await expect(App.create({ plugins: [first, failing, never] })).rejects.toThrow('no')
    expect(log).toEqual(['close failing', 'close first'])
  })

  it('calls the hooks of objects that a plugin requests during its setup', async () => {
    @Injectable()
    class Lazy {
      onInit = hooks('lazy').onInit
      onClose = hooks('lazy').onClose
    }
    const plugin: Plugin = { name: 'plugin', setup: ({ get }) => get(Lazy) }
    const app = await App.create({ plugins: [plugin] })
    await app.close()
    expect(log).toEqual(['init lazy', 'close lazy'])
  })

  it('does not start again after close(), and closes an application whose options are invalid', async () => {
    const app = await App.create({ providers: [Database] })
    await app.close()
    await expect(app.init()).rejects.toThrow('The application is closed.')
    expect(log).toEqual(['init database', 'ready database', 'close database'])
    const invalid = new App({ controllers: {} as never, logger: false })
    const start = expect(invalid.init()).rejects.toThrow('controllers')
    await expect(invalid.close()).resolves.toBeUndefined()
    await start
  })

  it('runs no hook when an application that was never started is closed', async () => {
    const app = new App({ providers: [Database] })
    await app.close()
    expect(log).toEqual([])
    await expect(app.init()).rejects.toThrow('closed')
  })
})

describe('a plugin', () => {
  it('is set up with the container, the Express application and the frozen routes', async () => {
    let seen: unknown
    const plugin: Plugin = {
      name: 'probe',
      providers: [{ token: 'answer', useValue: 42 }],
      setup({ get, express, model }) {
        express.set('answer', get('answer'))
        seen = [Object.isFrozen(model), Object.isFrozen(model.routes)]
      },
    }
    const app = await App.create({ plugins: [plugin] })
    expect(app.express.get('answer')).toBe(42)
    expect(seen).toEqual([true, true])
    await app.close()
  })
})

describe('the hook onClosing', () => {
  it('is called for all instances with timeouts.close, and every onClose waits for it', async () => {
    const left = gate()
    const slow: Plugin = {
      name: 'slow',
      async onClosing(graceMs) {
        log.push(`closing slow ${graceMs}`)
        await left.opened
        log.push('left slow')
      },
      onClose: hooks('slow').onClose,
    }
    const quick: Plugin = {
      name: 'quick',
      onClosing: (graceMs) => void log.push(`closing quick ${graceMs}`),
      onClose: hooks('quick').onClose,
    }
    const app = await App.create({ plugins: [slow, quick], timeouts: { close: '7s' } })
    const closing = app.close()
    await turns()
    expect(log).toEqual(['closing slow 7000', 'closing quick 7000'])
    left.open()
    await closing
    expect(log.slice(2)).toEqual(['left slow', 'close quick', 'close slow'])
  })

  it('rejects close() with its error, together with the errors of onClose', async () => {
    const fail = (message: string) => () => {
      throw new Error(message)
    }
    const plugins: Plugin[] = [
      { name: 'busy', onClosing: fail('busy'), onClose: hooks('busy').onClose },
      { name: 'stuck', onClose: fail('stuck') },
    ]
    const app = await App.create({ plugins })
    const error = await app.close().catch((thrown) => thrown)
    expect(error.errors).toEqual([new Error('busy'), new Error('stuck')])
    expect(log).toEqual(['close busy'])
  })

  it('can take as long as timeouts.close and timeouts.onClose together', async () => {
    const stuck: Plugin = {
      name: 'stuck',
      onClosing: () => new Promise(() => {}),
      onClose: hooks('stuck').onClose,
    }
    const timeouts = { close: '2s', onClose: '1s' }
    const app = await TestApp.create({ plugins: [stuck], timeouts })
    await app.clock.advance(1)
    const closing = app.close().catch((thrown) => thrown)
    await app.clock.advance('2999ms')
    expect(log).toEqual([])
    await app.clock.advance('1ms')
    const message = "onClosing of plugin 'stuck' did not end within 3000 ms"
    expect((await closing).errors).toEqual([new Error(message)])
    expect(log).toEqual(['close stuck'])
  })
})

describe('a hook that does not end', () => {
  it('is reported with the name of its class, if it has one', async () => {
    class Stuck {
      onClose() {
        return new Promise(() => {})
      }
    }
    class Odd extends Stuck {
      get name(): string {
        throw new Error('no name')
      }
    }
    const unnamed = { token: 'unnamed', useFactory: () => new (class extends Stuck {})() }
    const providers = [unnamed, Stuck, Odd]
    const app = await TestApp.create({ providers, timeouts: { onClose: '1s' } })
    await app.clock.advance(1)
    const closing = app.close().catch((thrown) => thrown)
    await app.clock.advance('3s')
    expect((await closing).errors).toEqual(
      ['a provider', 'Stuck', 'a provider'].map(
        (name) => new Error(`onClose of ${name} did not end within 1000 ms (timeouts.onClose)`),
      ),
    )
  })
})

describe('an application that is closed while it starts', () => {
  it.each(['setup', 'onInit', 'onReady'])(
    'does not call %s of the next plugin, and closes the first one',
    async (hook) => {
      let closing: Promise<void> | undefined
      const first = {
        name: 'first',
        onClose: hooks('first').onClose,
        [hook]: () => {
          closing = app.close()
        },
      }
      const second = { name: 'second', [hook]: () => void log.push('second') }
      const app = new App({ plugins: [first, second] as Plugin[], logger: false })
      await expect(app.init()).rejects.toThrow('The application is closed.')
      await closing
      expect(log).toEqual(['close first'])
    },
  )

  it('is not awaited longer than timeouts.close, which is logged', async () => {
    const started = gate()
    const logger = { info() {}, warn() {}, error: (_: object, text: string) => void log.push(text) }
    const plugins: Plugin[] = [{ name: 'slow', onInit: () => started.opened }]
    const app = new App({ plugins, logger, timeouts: { close: '1ms' } })
    const starting = app.init().catch((thrown) => thrown)
    await turns()
    await app.close()
    expect(log).toEqual([
      'The startup did not finish, so the resources that it opened were not closed',
    ])
    started.open()
    expect(await starting).toEqual(new Error('The application is closed.'))
  })
})
