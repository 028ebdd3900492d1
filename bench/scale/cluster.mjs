// Two processes of one file on one port: the first hands them connections in turn.
import cluster from 'node:cluster'
import { announce } from '../candidates/serve.mjs'

cluster.setupPrimary({ exec: process.argv[2] })
const workers = [cluster.fork(), cluster.fork()]
const ports = workers.map(
  (worker) => new Promise((resolve) => worker.once('listening', ({ port }) => resolve(port))),
)
const [port] = await Promise.all(ports)
announce(port)
