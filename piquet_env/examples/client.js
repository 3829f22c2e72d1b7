// Ask a bot for its opening bid: `node client.js [BOT]`. Needs Node 18 or later and `piquet`, no packages.
const { spawn } = require("node:child_process");
const readline = require("node:readline");

const [bot = "greedy", piquet = "piquet", ...more] = process.argv.slice(2);
const server = spawn(piquet, [...more, "serve", bot], { stdio: ["pipe", "pipe", "inherit"] });

function view(hello) { // what player_1 knows before the first bid; he is asked for it, because player_0 has dealt
  return {
    format: hello.view,
    versions: hello.versions,
    rules: "auction",
    player: "player_1",
    episode: "partie",
    completed: 2, // this is the third deal
    thrown_in: 0,
    totals: { player_0: 41, player_1: 57 },
    dealer: "player_0",
    hands: { player_1: "QT.AKQ.AKJT.KJT" }, // suits S.H.D.C, high to low
    phase: "auction",
    auction: [],
  };
}

readline.createInterface({ input: server.stdout }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") {
    server.stdin.write(JSON.stringify({ id: 1, view: view(message), seed: 0 }) + "\n");
  } else {
    console.log(message.type === "action" ? message.action : `${message.field}: ${message.error}`);
    server.stdin.end(); // that ends it
  }
});
server.on("error", (error) => { console.error(error.message); process.exitCode = 2; });
server.on("exit", (status) => { process.exitCode = status ?? 1; });
