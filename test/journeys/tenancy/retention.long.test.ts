import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { outputOf, pathsOfBuild, runTypeScript, writeConfig } from '../../docs/snippets.js'
import { root } from '../../root.js'

const fixture = join(root, 'test/journeys/tenancy/fixtures/retention.ts')
const dialect = process.env.BLAZON_DIALECT === 'legacy' ? 'legacy' : 'standard'

describe('a request with a tenant', () => {
  it('is released from memory after its response', { timeout: 120_000 }, async () => {
    const config = writeConfig(`retention-${dialect}`, dialect, pathsOfBuild())
    const child = runTypeScript(fixture, { config, flags: ['--expose-gc'] })
    const { served, sockets, open, closed } = JSON.parse(await outputOf(child))
    expect(served).toBe(2000)
    // The garbage collector may miss one object, but not thousands.
    for (const { requests, noted } of [open, closed]) {
      expect(requests).toBeLessThanOrEqual(1)
      expect(noted).toBeLessThanOrEqual(1)
    }
    // Node keeps the last async context of the parser of an open connection.
    expect(open.scopes).toBeLessThanOrEqual(2 * sockets)
    expect(closed.scopes).toBeLessThanOrEqual(1)
  })
})
