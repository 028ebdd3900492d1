import { App } from 'blazon'
import { postgres } from 'blazon/postgres'
import { Barrier } from '../../conformance/tenant-orders.js'
import { PairsController } from './pairs.js'

// An application that is killed. Prints the port that it listens on.

const app = await App.create({
  controllers: [PairsController],
  providers: [Barrier],
  plugins: [postgres({ url: process.env['CRASH_URL'] ?? '', connections: 4 })],
  tenant: {},
})
const { port } = await app.listen(0, { host: '127.0.0.1', announce: false })
console.log(port)
