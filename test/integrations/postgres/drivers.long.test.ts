import { afterAll, beforeAll } from 'vitest'
import { createDriver } from '../../../src/integrations/postgres/with-driver.js'
import { describeDriver, type OpenDriver } from '../../conformance/postgres-driver.js'
import { startPgliteFromTemplate } from '../../pglite-template.js'
import { describeWithServer, Server } from './server.js'

startPgliteFromTemplate()

const logger = { info() {}, warn() {}, error() {} }

describeDriver('PGlite', async (timeouts = {}) => {
  const driver = createDriver({ embedded: 'memory', timeouts })
  await driver.open({ logger })
  return driver
})

describeWithServer('PostgreSQL', () => {
  let server: Server
  beforeAll(async () => {
    server = await Server.start()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  const open: OpenDriver = async (timeouts = {}) => {
    const driver = createDriver({ url: server.url(), connections: 4, timeouts })
    await driver.open({ logger })
    return driver
  }
  describeDriver('pg', open)
})
