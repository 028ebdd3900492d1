import { expect, it } from 'vitest'
import { inspectDatabase } from '../../../src/integrations/postgres/doctor/inspect-database.js'
import type { Connection } from '../../../src/integrations/postgres/driver.js'
import { tenantTable } from '../../../src/integrations/postgres/schema/tenant-table.js'
import { createDriver } from '../../../src/integrations/postgres/with-driver.js'
import { Patient } from './doctor-patient.js'
import { ownServerDatabase } from './own-database.js'
import { describeWithServer } from './server.js'

const SILENT = { info() {}, warn() {}, error() {} }
/** Limits of the numbers of messages. The application waits for the reply to each message before it starts. */
const MOST_OF_CATALOGS = 24
const MOST_OF_A_TABLE = 30

/** How many messages the doctor sends to read catalogs, and to try tables. */
async function messagesAt(url: string, roles: Patient['roles']) {
  const driver = createDriver({ url })
  await driver.open({ logger: SILENT })
  const connection = await driver.connect()
  const counts = { catalogs: 0, trials: 0 }
  let isTrying = false
  const counted: Connection = {
    query: (statement) => {
      counts[isTrying ? 'trials' : 'catalogs']++
      return connection.query(statement)
    },
    sendTogether: (statements) => {
      counts[isTrying ? 'trials' : 'catalogs']++
      return connection.sendTogether(statements)
    },
    script: (text) => {
      if (text.startsWith('begin')) isTrying = !text.includes('read only')
      counts[isTrying ? 'trials' : 'catalogs']++
      return connection.script(text)
    },
    isLost: false,
    release: () => connection.release(),
    destroy: () => connection.destroy(),
  }
  expect(await inspectDatabase(counted, { ...roles, isEmbedded: false })).toEqual([])
  connection.release()
  await driver.close()
  return counts
}

describeWithServer('the doctor at application start', () => {
  it('sends a fixed number of messages, plus a fixed number for each tenant table', async () => {
    const database = await ownServerDatabase()
    const login = await database.role('login', 'login noinherit')
    await using patient = await Patient.open(async () => database, login)
    const url = database.urlOf(login)
    const add = (name: string) =>
      patient.run(tenantTable(name, { ...patient.roles, columns: ['note text'] }))
    await add('first')
    const one = await messagesAt(url, patient.roles)
    for (const name of ['second', 'third']) await add(name)
    await patient.run('create table plans (name text); grant select on plans to $one')
    await patient.run("comment on table plans is 'blazon: shared'")
    const three = await messagesAt(url, patient.roles)
    expect(three).toEqual({ catalogs: one.catalogs, trials: 3 * one.trials })
    expect(one.catalogs).toBeLessThanOrEqual(MOST_OF_CATALOGS)
    expect(one.trials).toBeLessThanOrEqual(MOST_OF_A_TABLE)
  })
})
