import { LARGE, SMALL, testWorlds } from './worlds.ts'

testWorlds(SMALL, 'SIMULATION_SEEDS', 1000, 0)
testWorlds(LARGE, 'SIMULATION_LARGE', 1, null)
