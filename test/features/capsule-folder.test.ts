import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { CapsuleFolder } from '../../src/features/capsules/capsule-folder.js'

function opened(files: number) {
  const path = mkdtempSync(join(tmpdir(), 'blazon-capsules-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  const errors: unknown[] = []
  const folder = new CapsuleFolder({ folder: path, files, bytes: 50_000_000 })
  const add = (id: string, text: string) => folder.add(id, text, (error) => errors.push(error))
  return { path, folder, errors, add }
}

it('a capsule file never contains only a part of a capsule', async () => {
  const { path, folder, errors, add } = opened(5)
  const text = JSON.stringify('x'.repeat(20_000_000))
  const file = join(path, '20261126-093000-a1b2c3.json')
  add('20261126-093000-a1b2c3', text)
  while (!existsSync(file)) await new Promise(setImmediate)
  expect(readFileSync(file).length).toBe(text.length)
  await folder.idle()
  expect(errors).toEqual([])
})

it('temporary files of a killed process are removed with the oldest capsules', async () => {
  const { path, folder, add } = opened(1)
  writeFileSync(join(path, '20261126-080000-000000.json.part'), '{')
  add('20261126-090000-aaaaaa', '{}')
  await folder.idle()
  expect(readdirSync(path).sort()).toEqual(['.gitignore', '20261126-090000-aaaaaa.json'])
})
