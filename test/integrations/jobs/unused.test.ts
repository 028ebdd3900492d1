import { App } from 'blazon'
import { postgres } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { expect, it, vi } from 'vitest'
import { startPgliteFromTemplate } from '../../pglite-template.js'
import { runsJobs } from './support.js'

startPgliteFromTemplate()

const loaded = vi.hoisted(() => ({ names: [] as string[] }))

vi.mock('../../../src/integrations/jobs/jobs.js', async (load) => {
  loaded.names.push('jobs')
  return await load<object>()
})
vi.mock('pg-boss', async (load) => {
  loaded.names.push('pg-boss')
  return await load<object>()
})

it('only an application with jobs() loads its code, and loads pg-boss only at startup', async () => {
  const plugins = [postgres({ embedded: 'memory' })]
  const unused = await TestApp.create({ plugins })
  await unused.close()
  expect(loaded.names).toEqual([])
  const { defineJob, jobs } = await import('blazon/jobs')
  defineJob('unused')
  const app = new App({ plugins: [...plugins, jobs({ workers: [] })], logger: false })
  expect(loaded.names).toEqual(['jobs'])
  if (!runsJobs) return
  await app.init()
  await app.close()
  expect(loaded.names).toEqual(['jobs', 'pg-boss'])
})
