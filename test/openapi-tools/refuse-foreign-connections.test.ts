import { connect } from 'node:net'
import { expect, it } from 'vitest'

it('a tool cannot connect to other hosts', async () => {
  expect(() => connect(443, 'telemetry.example.com')).toThrow('telemetry.example.com')
  expect(() => connect({ host: '192.0.2.1', port: 443 })).toThrow('192.0.2.1')
  await expect(fetch('http://192.0.2.1/')).rejects.toThrow()
})
