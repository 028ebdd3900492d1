import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../root.js'

const PROGRAM = `
import { TestApp } from ${JSON.stringify(join(root, 'src/testing/index.ts'))}
const app = await TestApp.create()
Promise.reject(new Error('nobody’s'))
await new Promise((resolve) => setTimeout(resolve, 1000))
console.log('went on')
await app.close()
`

describe('an unhandled rejection outside the application under test', () => {
  it('ends the process, as without a TestApp', () => {
    const folder = join(root, '.cache', 'foreign-rejection')
    mkdirSync(folder, { recursive: true })
    const file = join(folder, 'program.ts')
    writeFileSync(file, PROGRAM)
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', file], {
      cwd: root,
      env: { ...process.env, NODE_OPTIONS: '' },
      encoding: 'utf8',
    })
    expect(stderr).toContain('Error: nobody’s')
    expect(stdout).toBe('')
    expect(status).not.toBe(0)
  })
})
