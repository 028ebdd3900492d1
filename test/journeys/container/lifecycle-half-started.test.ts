import { App, inject } from 'blazon'
import { beforeEach, describe, expect, it } from 'vitest'

let log: string[]
beforeEach(() => {
  log = []
})

class Database {
  onInit() {
    log.push('init database')
  }
  onClose() {
    log.push('close database')
  }
}

/** Its `onInit` fails. */
class Schema {
  readonly database = inject(Database)
  onInit() {
    log.push('init schema')
    throw new Error('no schema')
  }
  onClose() {
    log.push('close schema')
  }
}

class Service {
  readonly schema = inject(Schema)
  onInit() {
    log.push('init service')
  }
  onReady() {
    log.push('ready service')
  }
  onClose() {
    log.push('close service')
  }
}

/** Has no `onInit`: its constructor opens everything. */
class Pool {
  onClose() {
    log.push('close pool')
  }
}

describe('a start that fails halfway', () => {
  it('closes the started providers in reverse order, but no provider after the failed one', async () => {
    const providers = [Database, Schema, Service]
    await expect(App.create({ providers, logger: false })).rejects.toThrow('no schema')
    expect(log).toEqual(['init database', 'init schema', 'close schema', 'close database'])
  })

  it('also closes providers without `onInit`', async () => {
    const providers = [Database, Schema, Service, Pool]
    await expect(App.create({ providers, logger: false })).rejects.toThrow('no schema')
    expect(log).toContain('close pool')
    expect(log).not.toContain('close service')
  })

  it('closes all providers when onReady fails', async () => {
    class Late {
      readonly database = inject(Database)
      onReady() {
        throw new Error('not ready')
      }
      onClose() {
        log.push('close late')
      }
    }
    await expect(App.create({ providers: [Database, Late], logger: false })).rejects.toThrow(
      'not ready',
    )
    expect(log).toEqual(['init database', 'close late', 'close database'])
  })

  it('rejects with its own error, and logs the errors of onClose', async () => {
    class Stuck {
      onClose() {
        throw new Error('stuck')
      }
    }
    const lines: [unknown, string][] = []
    const error = ({ err }: { err?: unknown }, text: string) => void lines.push([err, text])
    const logger = { info() {}, warn() {}, error }
    const providers = [Stuck, Database, Schema]
    await expect(App.create({ providers, logger })).rejects.toThrow('no schema')
    expect(log).toContain('close database')
    const message = 'An error occurred while closing after the failed startup'
    expect(lines).toMatchObject([[{ errors: [new Error('stuck')] }, message]])
  })
})
