import { createBoard, findBoard } from "../src/boards/store.ts";
import { readConfig } from "../src/config.ts";
import { migrate } from "../src/db/migrate.ts";
import { openDatabase } from "../src/db/open.ts";
import { createPost, setStatus } from "../src/posts/store.ts";
import { hashPassword } from "../src/users/passwords.ts";
import { createUser } from "../src/users/store.ts";

const db = openDatabase(readConfig(process.env).databasePath);
migrate(db);
if (findBoard(db, "product")) {
  console.log("already seeded");
} else {
  const now = new Date();
  const ada = createUser(
    db,
    { email: "ada@board.test", name: "Ada", role: "moderator", passwordHash: hashPassword("ada") },
    now,
  );
  const bob = createUser(
    db,
    { email: "bob@board.test", name: "Bob", role: "member", passwordHash: hashPassword("bob") },
    now,
  );
  const board = createBoard(db, "product", "Product ideas");
  createPost(db, board.id, bob.id, { title: "Dark mode", body: "My eyes." }, now);
  const csv = createPost(db, board.id, ada.id, { title: "CSV export", body: "For reports." }, now);
  setStatus(db, csv.id, "planned", now);
  console.log("seeded two users, one board, two posts");
}
db.close();
