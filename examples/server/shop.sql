-- The database of a shop, as each connection gets it: who sells what to whom, and what they think of it.
CREATE TABLE town (
    id INT PRIMARY KEY,
    name VARCHAR(40) NOT NULL UNIQUE,
    country VARCHAR(20) NOT NULL,
    place POINT NOT NULL,
    SPATIAL INDEX (place));
CREATE TABLE customer (
    id INT PRIMARY KEY,
    name VARCHAR(40) NOT NULL,
    mail VARCHAR(60) NOT NULL UNIQUE,
    town INT NOT NULL,
    since DATE NOT NULL,
    settings JSON NOT NULL,
    KEY (name),
    FOREIGN KEY (town) REFERENCES town (id));
CREATE TABLE kind (
    id INT PRIMARY KEY,
    parent INT,
    name VARCHAR(40) NOT NULL,
    FOREIGN KEY (parent) REFERENCES kind (id));
CREATE TABLE product (
    id INT PRIMARY KEY,
    kind INT NOT NULL,
    name VARCHAR(40) NOT NULL,
    price DECIMAL(8,2) NOT NULL CHECK (price > 0),
    stock INT NOT NULL DEFAULT 0,
    about TEXT NOT NULL,
    KEY (kind, price),
    FOREIGN KEY (kind) REFERENCES kind (id));
CREATE TABLE sale (
    id INT PRIMARY KEY,
    customer INT NOT NULL,
    day DATE NOT NULL,
    state ENUM('new', 'paid', 'sent') NOT NULL DEFAULT 'new',
    KEY (customer, day),
    FOREIGN KEY (customer) REFERENCES customer (id));
CREATE TABLE line (
    sale INT NOT NULL,
    product INT NOT NULL,
    amount INT NOT NULL,
    price DECIMAL(8,2) NOT NULL,
    PRIMARY KEY (sale, product),
    KEY (product),
    FOREIGN KEY (sale) REFERENCES sale (id) ON DELETE CASCADE);
CREATE TABLE review (
    id INT PRIMARY KEY,
    product INT NOT NULL,
    customer INT NOT NULL,
    stars INT NOT NULL,
    text VARCHAR(100) NOT NULL,
    KEY (product));
CREATE VIEW turnover AS
    SELECT sale.id AS sale, customer, day, sum(amount * line.price) AS total
    FROM sale JOIN line ON line.sale = sale.id GROUP BY sale.id;
CREATE TRIGGER line_added AFTER INSERT ON line FOR EACH ROW
    UPDATE product SET stock = stock - new.amount WHERE id = new.product;

INSERT INTO town
    SELECT seq,
        concat(char(65 + seq * 7 MOD 26), char(97 + seq * 5 MOD 26), 'ville ', seq),
        elt(1 + seq MOD 4, 'Utopia', 'Arcadia', 'Atlantis', 'Elysium'),
        point(seq * 37 MOD 100, seq * 61 MOD 100)
    FROM seq_1_to_60;
INSERT INTO customer
    SELECT seq,
        concat(char(65 + seq * 3 MOD 26), 'ora ', char(65 + seq * 17 MOD 26), 'ix'),
        concat('c', seq, '@example.org'),
        1 + seq * 7 MOD 60,
        '2020-01-01' + INTERVAL seq DAY,
        json_object('theme', if(seq MOD 3, 'light', 'dark'),
            'letters', json_array(seq MOD 2, seq MOD 5, seq MOD 7),
            'limit', seq * 13 MOD 1000)
    FROM seq_1_to_500;
INSERT INTO kind
    SELECT seq, nullif(seq DIV 2, 0), concat('kind ', seq) FROM seq_1_to_31;
INSERT INTO product
    SELECT seq, 1 + seq * 11 MOD 31, concat('product ', seq), 1 + seq * 7919 MOD 9000 / 100, 10000,
        concat('This ', elt(1 + seq MOD 5, 'red', 'green', 'blue', 'wooden', 'little'),
            ' thing is made for ', elt(1 + seq MOD 7, 'gardens', 'kitchens', 'travelling',
                'painting', 'children', 'offices', 'winters'),
            ' and weighs ', seq * 31 MOD 900, ' grams')
    FROM seq_1_to_800;
INSERT INTO sale
    SELECT seq, 1 + seq * 101 MOD 500, '2023-01-01' + INTERVAL seq * 7 MOD 365 DAY,
        elt(1 + seq MOD 3, 'new', 'paid', 'sent')
    FROM seq_1_to_2000;
INSERT IGNORE INTO line
    SELECT 1 + seq MOD 2000, 1 + seq * 271 MOD 800, 1 + seq MOD 5, 1 + seq * 7919 MOD 9000 / 100
    FROM seq_1_to_6000;
INSERT INTO review
    SELECT seq, 1 + seq * 7 MOD 800, 1 + seq * 13 MOD 500, 1 + seq * 17 MOD 5,
        concat('review ', seq)
    FROM seq_1_to_1500;
ANALYZE TABLE town, customer, kind, product, sale, line, review;
