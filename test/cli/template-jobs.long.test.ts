import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { manifestOf, packageManifest } from '../../src/cli/new/manifest.js'
import { hasJobs, readTemplate } from '../../src/cli/new/read-template.js'
import { mistakesIn, reportOf } from '../docs/checked-project.js'
import { clear, FOLDER } from '../docs/snippets.js'
import { runsJobs } from '../integrations/jobs/support.js'

const facts = { template: 'saas', name: 'my-api', test: 'vitest', pm: 'npm', source: '^1' } as const

beforeAll(() => clear('saas-jobs'))

describe.each(['standard', 'legacy'] as const)('the template saas with its job (%s)', (dialect) => {
  const folder = join(FOLDER, 'saas-jobs', dialect)
  const files = readTemplate({ ...facts, decorators: dialect, jobs: true })
  beforeAll(() => {
    for (const [path, text] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
  })

  it('compiles', async () => {
    expect(await mistakesIn(folder)).toBe('')
  })

  // test/scaffold runs the tests in the legacy dialect.
  if (dialect === 'legacy') return
  it.skipIf(!runsJobs)('passes its tests', async () => {
    const { failures, passed } = await reportOf(folder, dialect)
    expect(failures).toEqual([])
    const tests = [...files].filter(([path]) => path.startsWith('test/'))
    expect(passed).toBe(tests.flatMap(([, text]) => text.match(/^ *it\(/gm) ?? []).length)
  })
})

it('the template requires pg-boss and its Node version only if the Node version supports jobs', () => {
  const partsOf = (jobs: boolean) => {
    const all = { ...facts, decorators: 'standard', jobs } as const
    return { files: readTemplate(all), manifest: JSON.parse(manifestOf(all, packageManifest())) }
  }
  const [later, older] = [partsOf(true), partsOf(false)]
  const { devDependencies: tools } = packageManifest()
  expect(later.manifest).toMatchObject({
    engines: { node: '>=22.12.0' },
    dependencies: {
      'pg-boss': tools['pg-boss'],
      '@opentelemetry/api': tools['@opentelemetry/api'],
    },
  })
  expect(later.files.get('README.md')).toContain('blazon start --jobs')
  expect(older.manifest.engines).toEqual(packageManifest().engines)
  const texts = [...older.files.values(), JSON.stringify(older.manifest)]
  expect(texts.filter((text) => /\bjobs\b|pg-boss/.test(text))).toEqual([])
})

it('only the template saas has a job, and only from Node 22.12 on', () => {
  const versions = ['20.19.0', '22.11.0', '22.12.0', '24.0.0']
  expect(versions.map((version) => hasJobs('saas', version))).toEqual([false, false, true, true])
  expect(hasJobs('service', '24.0.0')).toBe(false)
})
