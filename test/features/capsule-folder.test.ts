import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { CapsuleFolder } from '../../src/features/capsules/capsule-folder.js'

function opened(files: number, bytes = 50_000_000) {
  const path = mkdtempSync(join(tmpdir(), 'blazon-capsules-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  const errors: unknown[] = []
  const folder = new CapsuleFolder({ folder: path, files, bytes })
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

it('a capsule has at most as many bytes as the folder', async () => {
  const { path, folder, errors, add } = opened(5, 10)
  add('20261126-090000-aaaaaa', 'éxactly10')
  add('20261126-090001-bbbbbb', 'éleven byt')
  await folder.idle()
  expect(readdirSync(path).sort()).toEqual(['.gitignore', '20261126-090000-aaaaaa.json'])
  expect(errors).toEqual([new Error('The capsule is larger than 10 bytes.')])
})

it('the folder accepts more capsules when the waiting ones have been written, or have failed', async () => {
  const { folder, add } = opened(5, 10)
  for (const round of ['a', 'b']) {
    const states = Array.from({ length: 8 }, (_, n) => {
      add(`20261126-09000${n}-${round.repeat(6)}`, n % 2 === 0 ? '{}' : '"much too long"')
      return folder.isBusy
    })
    expect(states).toEqual([...Array(7).fill(false), true])
    await folder.idle()
  }
  expect(folder.isBusy).toBe(false)
})

it('the folder contains as many of the newest capsules as its size allows', async () => {
  const { path, folder, add } = opened(5, 4)
  for (const n of [0, 1, 2]) add(`20261126-09000${n}-aaaaaa`, '{}')
  await folder.idle()
  expect(readdirSync(path).sort()).toEqual([
    '.gitignore',
    '20261126-090001-aaaaaa.json',
    '20261126-090002-aaaaaa.json',
  ])
})

it('a file that already exists is not replaced', async () => {
  const { path, folder, errors, add } = opened(5)
  writeFileSync(join(path, '.gitignore'), 'own')
  writeFileSync(join(path, '20261126-090000-aaaaaa.json.part'), 'of another process')
  add('20261126-090000-aaaaaa', '{}')
  await folder.idle()
  expect(errors).toMatchObject([{ code: 'EEXIST' }])
  expect(readFileSync(join(path, '.gitignore'), 'utf8')).toBe('own')
  const part = readFileSync(join(path, '20261126-090000-aaaaaa.json.part'), 'utf8')
  expect(part).toBe('of another process')
})
