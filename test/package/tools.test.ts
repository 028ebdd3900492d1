import { readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { afterAll, describe, expect, it } from 'vitest'
import { packPackage } from '../house/packed-package.js'

const tarball = packPackage()
afterAll(() => rmSync(dirname(tarball), { recursive: true, force: true }))

describe('the package', () => {
  it('causes no message from publint', async () => {
    const data = new Uint8Array(readFileSync(tarball)).buffer
    const { messages } = await publint({ pack: { tarball: data }, strict: true })
    expect(messages).toEqual([])
  })

  it('has types for every entry point in ES modules and CommonJS (arethetypeswrong)', async () => {
    const data = createPackageFromTarballData(new Uint8Array(readFileSync(tarball)))
    const result = await checkPackage(data)
    if (result.types === false) throw new Error('It finds no types.')
    expect(Object.keys(result.entrypoints)).toHaveLength(13)
    expect(result.problems).toEqual([])
  })
})
