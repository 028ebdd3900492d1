import { createDriver } from '../../../src/integrations/postgres/with-driver.js'
import { startPgliteFromTemplate } from '../../pglite-template.js'

startPgliteFromTemplate()

/** Run as a process: opens the folder of its argument, and keeps it open until the process is killed. */
const driver = createDriver({ embedded: process.argv[2] as string })
await driver.open({ logger: { info() {}, warn() {}, error() {} } })
process.send?.('open')
