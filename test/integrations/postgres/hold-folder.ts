import { createDriver } from '../../../src/integrations/postgres/drivers/create-driver.js'
import { startPgliteFromTemplate } from '../../pglite-template.js'

startPgliteFromTemplate()

/** Run as a process: opens the folder that it is given, and has it open until it is ended. */
const driver = createDriver({ embedded: process.argv[2] as string })
await driver.open({ logger: { info() {}, warn() {}, error() {} } })
process.send?.('open')
