import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readDocument } from '../../src/cli/diff-documents.js'
import { outputPath } from '../../src/cli/output-path.js'

const folder = mkdtempSync(join(tmpdir(), 'blazon-paths-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('a file path in an error message', () => {
  it.each([
    ['none.json', undefined, 'cannot be read.'],
    ['broken.json', '{', 'is neither JSON nor YAML.'],
    ['other.json', '{}', 'is not an OpenAPI document.'],
  ])('is shown as an absolute path: %s', (name, text, what) => {
    if (text !== undefined) writeFileSync(join(folder, name), text)
    expect(() => readDocument(name, folder)).toThrow(`${join(folder, name)} ${what}`)
  })

  it('is shown as an absolute path if it is a folder', () => {
    expect(() => outputPath('.', '--out', folder)).toThrow(
      `The command writes a file, but ${folder} is a folder`,
    )
  })
})
