import { App, Controller, Get, Version } from 'blazon'
import { expect, it, vi } from 'vitest'

const loaded = vi.hoisted(() => ({ names: [] as string[] }))

vi.mock('../../src/app/version-router.js', async (load) => {
  loaded.names.push('version-router')
  return await load<object>()
})

@Controller('plain')
class Plain {
  @Get() list() {}
}

@Controller('versioned')
class WithVersion {
  @Version('1') @Get() list() {}
}

it('an application loads the code for versions only if it has versioned routes', async () => {
  const plain = await App.create({ controllers: [Plain], logger: false })
  expect(loaded.names).toEqual([])
  await plain.close()
  const versions = { by: 'path' } as const
  const versioned = await App.create({ controllers: [WithVersion], versions, logger: false })
  expect(loaded.names).toEqual(['version-router'])
  await versioned.close()
})
